import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Larger files are data, which readers of a repository do not know by heart. */
const MAX_FILE = 4 * 1024 * 1024;
const MAX_TOTAL = 1024 * 1024 * 1024;
const TOKEN = /[A-Za-z_$][\w$]*/g;

/** Everything that the tree of T0 tells a reader: its names and, on demand, whether a text appears in it. */
export interface T0Tokens {
  has(token: string): boolean;
  /** Whether a text of any length appears in a file of the tree, ignoring white space. */
  holds(text: string): boolean;
  readonly size: number;
}

/**
 * Reads every text file below a directory except git data, following no links. Words in file names count too: a file
 * `read_xref.py` reveals `read_xref`.
 */
export async function readT0Tokens(directory: string): Promise<T0Tokens> {
  const tokens = new Set<string>();
  const texts: string[] = [];
  let total = 0;
  for await (const { path, relative } of regularFiles(directory, '')) {
    addTokens(relative, tokens);
    const { size } = await stat(path);
    if (size > MAX_FILE || total > MAX_TOTAL) continue;
    const content = await readFile(path);
    if (content.includes(0)) continue;
    total += content.length;
    // Latin-1 keeps every byte as one unit; the texts to compare are converted the same way.
    const text = content.toString('latin1');
    addTokens(text, tokens);
    texts.push(text);
  }
  return { has: (token) => tokens.has(token), holds: textFinder(texts), size: tokens.size };
}

/** Reads tokens from texts in memory. */
export function tokensOf(texts: Iterable<string>): T0Tokens {
  const tokens = new Set<string>();
  const all = [...texts].map((text) => Buffer.from(text).toString('latin1'));
  for (const text of all) addTokens(text, tokens);
  return { has: (token) => tokens.has(token), holds: textFinder(all), size: tokens.size };
}

function addTokens(text: string, tokens: Set<string>): void {
  for (const [token] of text.matchAll(TOKEN)) tokens.add(token);
}

function textFinder(texts: string[]): (text: string) => boolean {
  const squeezed: (string | undefined)[] = [];
  return (wanted) => {
    const needle = squeeze(Buffer.from(wanted).toString('latin1'));
    if (needle === '') return true;
    return texts.some((text, index) => (squeezed[index] ??= squeeze(text)).includes(needle));
  };
}

/** Removes white space, backslashes and quotes, so that a sentence is found however its literal was split. */
function squeeze(text: string): string {
  return text.replace(/[\s\\"'`]+/g, '');
}

async function* regularFiles(directory: string, prefix: string): AsyncGenerator<{ path: string; relative: string }> {
  const entries = await readdir(directory, { withFileTypes: true });
  for (const entry of entries) {
    if (entry.name === '.git') continue;
    const path = join(directory, entry.name);
    const relative = `${prefix}${entry.name}`;
    if (entry.isDirectory()) yield* regularFiles(path, `${relative}/`);
    else if (entry.isFile()) yield { path, relative };
  }
}
