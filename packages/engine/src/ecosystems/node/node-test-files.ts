import { posix } from 'node:path';
import { listTree, readTreeText } from '../tree-files.ts';
import { classifyNodePath } from './classify-node-path.ts';

/** A runner whose test files run by themselves, each started with `node`. */
export type RunnerOfFiles = 'node:test' | 'tape' | 'tap';

const IMPORT = /(?:\bfrom\s*|\bimport\s*|\b(?:require|import)\s*\(\s*)['"](node:test|tape|tap)['"]/;
const SCRIPT = /\.[cm]?[jt]sx?$/;
const TEST_PLACES = ['test', 'tests', 'src', 'lib', '.', '__tests__'];
const MAX_READ = 30;

/** Resolves what `node test` starts; null when the tree has no such file. */
export async function startedFile(tree: string, word: string): Promise<string | null> {
  const path = posix.normalize(word).replace(/\/$/, '');
  if (path.startsWith('..') || path.startsWith('/')) return null;
  for (const each of [path, `${path}.js`, `${path}/index.js`, `${path}/index.cjs`, `${path}/index.mjs`])
    if (SCRIPT.test(each) && (await readTreeText(tree, each)) !== null) return each;
  return null;
}

/** Finds the runner that a file imports, or else the files beside it; null when they import none of these. */
export async function runnerOfFile(tree: string, path: string): Promise<RunnerOfFiles | null> {
  return (await importedBy(tree, path)) ?? runnerOfDirectory(tree, posix.dirname(path), MAX_READ, 1);
}

/** Finds the runner that a tree's test files import. */
export async function runnerOfTests(tree: string): Promise<RunnerOfFiles | null> {
  for (const place of TEST_PLACES) {
    const found = await runnerOfDirectory(tree, place, MAX_READ, place === '.' ? 0 : 2);
    if (found) return found;
  }
  return null;
}

async function runnerOfDirectory(
  tree: string,
  directory: string,
  limit: number,
  depth: number,
): Promise<RunnerOfFiles | null> {
  const entries = (await listTree(tree, directory)).slice(0, 200);
  const paths = entries.filter((entry) => entry.isFile()).map(({ name }) => posix.join(directory, name));
  const tests = paths.filter((path) => SCRIPT.test(path) && classifyNodePath(path) === 'test');
  for (const path of tests.slice(0, limit)) {
    const found = await importedBy(tree, path);
    if (found) return found;
  }
  if (depth === 0) return null;
  const inner = entries.filter((entry) => entry.isDirectory() && entry.name !== 'node_modules');
  for (const { name } of inner.slice(0, 10)) {
    const found = await runnerOfDirectory(tree, posix.join(directory, name), Math.ceil(limit / 3), depth - 1);
    if (found) return found;
  }
  return null;
}

async function importedBy(tree: string, path: string): Promise<RunnerOfFiles | null> {
  const name = IMPORT.exec((await readTreeText(tree, path)) ?? '')?.[1];
  return name === 'node:test' || name === 'tape' || name === 'tap' ? name : null;
}
