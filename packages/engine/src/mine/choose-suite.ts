import { posix } from 'node:path';
import type { SuiteChoice } from '@assay/protocol';
import { walkTree, type WalkedFile } from '@assay/files/walk-tree';
import type { Ecosystem } from '../ecosystems/ecosystem.ts';
import type { Candidate } from './candidate.ts';

/** Test files that run beside those of the fix. */
export const MOST_OTHERS = 8;
/** More text of a test file is not read: what it loads stands at its beginning. */
const MOST_BYTES = 64 * 1024;
const MOST_ENTRIES = 200_000;
/** A line by which a test loads what it tests, in most languages. */
const LOADS = /\b(?:import|from|require|use|using|include|load)\b/;
/** Files that stand for their directory. */
const INDEX = /^(?:index|__init__|main|mod|init)$/;

export interface ChosenSuite extends SuiteChoice {
  /** To run; empty for the whole suite, which the runner finds itself. */
  paths: string[];
}

/**
 * Chooses which tests stand for the suite: all of it when it is small, else those of the fix and the others that have
 * the most to do with what it changes. The same on every machine, however busy.
 */
export async function chooseSuite(
  { reference, hidden, ecosystem }: Pick<Candidate, 'reference' | 'hidden' | 'ecosystem'>,
  { t0Directory, changed }: { t0Directory: string; changed: readonly string[] },
): Promise<ChosenSuite> {
  const gone = new Set([...hidden.deleted, ...reference.deleted, ...changed]);
  const others = (await testsAt(t0Directory, ecosystem)).filter(({ path }) => !gone.has(path));
  const files = changed.length + others.length;
  if (others.length <= MOST_OTHERS) return { files, chosen: 'all', paths: [] };
  const relevance = relevanceTo([...reference.files.map(({ path }) => path), ...reference.deleted], changed);
  const best = others
    .map((test) => ({ path: test.path, score: relevance(test) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
    .slice(0, MOST_OTHERS);
  return { files, chosen: 'relevant', paths: [...changed, ...best.map(({ path }) => path)].sort() };
}

interface TestText {
  path: string;
  /** How the file begins. */
  text: string;
}

/** The files of a tree that hold tests. */
async function testsAt(directory: string, { tests, classify, codeFiles }: Ecosystem): Promise<TestText[]> {
  const found: TestText[] = [];
  const enter = (_path: string, name: string): boolean => name !== '.git' && name !== 'node_modules';
  for await (const entry of walkTree(directory, { enter, maxEntries: MOST_ENTRIES })) {
    if ('skipped' in entry || !codeFiles.test(entry.path)) continue;
    if (classify(entry.path) !== 'test' || !tests.isTestFile(entry.path)) continue;
    const text = beginning(entry);
    if (tests.titles(text).length > 0) found.push({ path: entry.path, text });
  }
  return found;
}

function beginning(file: WalkedFile): string {
  const parts: Buffer[] = [];
  let bytes = 0;
  file.read((chunk) => {
    if (bytes < MOST_BYTES) parts.push(Buffer.from(chunk));
    bytes += chunk.length;
  });
  return Buffer.concat(parts).subarray(0, MOST_BYTES).toString('utf8');
}

/** Scores a test file: it loads what changes, is called after it, lies with it, or lies with the tests of the fix. */
function relevanceTo(sources: readonly string[], changed: readonly string[]): (test: TestText) => number {
  const stems = [...new Set(sources.map(stemOf))].filter((stem) => stem !== '');
  const words = stems.map((stem) => new RegExp(`(?<![\\w-])${escaped(stem)}(?![\\w-])`));
  const sourceDirectories = new Set(sources.map((path) => posix.dirname(path)));
  const testDirectories = new Set(changed.map((path) => posix.dirname(path)));
  return ({ path, text }) => {
    const loads = text.split('\n').filter((line) => LOADS.test(line));
    const loaded = words.some((word) => loads.some((line) => word.test(line)));
    const name = stemOf(path);
    const named = stems.some((stem) => stem.length > 2 && name.includes(stem));
    const directory = posix.dirname(path);
    const beside = sourceDirectories.has(directory) || sourceDirectories.has(posix.dirname(directory));
    return (loaded ? 4 : 0) + (named ? 3 : 0) + (beside ? 2 : 0) + (testDirectories.has(directory) ? 1 : 0);
  };
}

/** What a file is called after: its name up to the first dot, or its directory's where it stands for that. */
function stemOf(path: string): string {
  const stem = posix.basename(path).replace(/\..*$/, '');
  return INDEX.test(stem) ? posix.basename(posix.dirname(path)).replace(/^\.$/, '') : stem;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
