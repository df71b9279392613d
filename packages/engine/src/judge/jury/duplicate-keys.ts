/** Whether any object in a text that is JSON has a key twice: readers differ on which of the two counts. */
export function hasDuplicateKeys(json: string): boolean {
  const open: (Set<string> | null)[] = [];
  let last: string | null = null;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(null);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':' && last !== null) {
      const key = String(JSON.parse(last));
      const keys = open.at(-1);
      if (keys?.has(key)) return true;
      keys?.add(key);
    }
    last = token.startsWith('"') ? token : null;
  }
  return false;
}
