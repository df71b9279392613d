/** Returns whether any object in a JSON text has a key twice: readers differ on which of the two counts. */
export function hasDuplicateKeys(json: string): boolean {
  const open: (Set<string> | null)[] = [];
  let last: string | null = null;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    if (character === '"') {
      const end = endOfString(json, index);
      last = json.slice(index, end + 1);
      index = end;
      continue;
    }
    if (character === '{') open.push(new Set());
    else if (character === '[') open.push(null);
    else if (character === '}' || character === ']') open.pop();
    else if (character === ':' && last !== null) {
      const key = String(JSON.parse(last));
      const keys = open.at(-1);
      if (keys?.has(key)) return true;
      keys?.add(key);
    }
  }
  return false;
}

/** Finds the closing quote of a string. By hand, because a pattern overflows the stack on long ones. */
function endOfString(json: string, start: number): number {
  let index = start + 1;
  while (index < json.length && json[index] !== '"') index += json[index] === '\\' ? 2 : 1;
  return index;
}
