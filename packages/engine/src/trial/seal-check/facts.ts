/** Observations inside a sandbox: lines of words, by their first word. */
export type Facts = ReadonlyMap<string, readonly (readonly string[])[]>;

/** Reads what `look-around.pl` prints. Null when it did not come to its end. */
export function parseFacts(text: string): Facts | null {
  const facts = new Map<string, string[][]>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [name = '', ...words] = line.split(' ').map(decode);
    facts.set(name, [...(facts.get(name) ?? []), words]);
  }
  return facts.has('end') ? facts : null;
}

/** The first words of the lines of that name. */
export function wordsOf(facts: Facts, name: string): string[] {
  return (facts.get(name) ?? []).map(([word = '']) => word);
}

/** Lines of a file, without the first `skipped`, with white space made single. Null when it was not there. */
export function linesOf(facts: Facts, path: string, skipped = 0): string[] | null {
  return facts.has(`file:${path}`) ? wordsOf(facts, `file:${path}`).slice(skipped) : null;
}

/** A field of /proc/self/status. */
export function statusField(facts: Facts, field: string): string | undefined {
  return linesOf(facts, '/proc/self/status')
    ?.find((line) => line.startsWith(`${field}:`))
    ?.slice(field.length + 1)
    .trim();
}

const decode = (word: string): string =>
  Buffer.from(
    word.replace(/%([0-9A-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
    'latin1',
  ).toString('utf8');
