import { createHash } from 'node:crypto';
import { listTree, readTreeFile, readTreeText } from '../tree-files.ts';

const SKIPPED = new Set([
  '.git',
  '.github',
  'docs',
  'doc',
  'tests',
  'test',
  'testing',
  'examples',
  'node_modules',
  '.tox',
  '.venv',
]);
const PROSE = /\.(md|rst)$|^(CHANGE|CHANGES|CHANGELOG|HISTORY|NEWS|AUTHORS|README|LICEN[CS]E)/i;
const VERSION_FILE = /^(__init__|__about__|__version__|_version|version|about|_about|__pkginfo__)\.py$/;
const DEPTH = 5;

/**
 * sha256 hex over what decides a project's metadata: files at the root and in `requirements/` (prose by name only), the
 * directories that are packages, and the lines that state a version.
 */
export async function projectBuildInputs(tree: string): Promise<string> {
  const lines: string[] = [];
  await visit(tree, '', DEPTH, lines);
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex');
}

async function visit(tree: string, directory: string, depth: number, lines: string[]): Promise<void> {
  const entries = await listTree(tree, directory);
  for (const entry of entries) {
    const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
    if (entry.isDirectory()) {
      if (depth > 0 && !SKIPPED.has(entry.name)) await visit(tree, path, depth - 1, lines);
    } else if (entry.isFile()) {
      lines.push(await describe(tree, path, entry.name, directory));
    }
  }
}

async function describe(tree: string, path: string, name: string, directory: string): Promise<string> {
  const isInput = directory === '' || directory === 'requirements';
  if (isInput && !PROSE.test(name))
    return `${path} ${createHash('sha256')
      .update((await readTreeFile(tree, path)) ?? '')
      .digest('hex')}`;
  if (VERSION_FILE.test(name)) {
    const text = (await readTreeText(tree, path)) ?? '';
    const versions = text.split('\n').filter((line) => /^\s*_*version(_info|_tuple)?_*\s*[:=]/i.test(line));
    return `${path} ${JSON.stringify(versions)}`;
  }
  return isInput || name === 'py.typed' ? path : '';
}
