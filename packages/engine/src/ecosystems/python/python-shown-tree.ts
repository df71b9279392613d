import { showFiles, type ShownTree } from '../shown-tree.ts';
import { listTree, readTreeFile, readTreeText } from '../tree-files.ts';

/** Root directories that no project is built from. */
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
const VERSION_LINE = /^\s*_*version(_info|_tuple)?_*\s*[:=]/i;
/** Matches `__author__ = "…"` and the like, which a setup.py reads without importing. */
const PLAIN_ATTRIBUTE = /^__\w+__\s*=\s*(['"])[^'"\\]*\1\s*$/;
/** A project that installs its own files as data needs to see them. */
const DATA_FILES = /data_files|data-files|shared-data/;
/** Code that imports a module that is not shown fails, and then gets to see the whole tree. */
const NOT_SHOWN = "raise ImportError('this module is not shown to the build')\n";
const DEPTH = 8;

/**
 * Selects what decides a project's metadata: files at the root and in `requirements/` (with prose emptied), package
 * directories, and in them the lines that state a version; of `members`, directories of projects below the root, the
 * files that lie directly in them. Null when the manifests ask for more.
 */
export async function pythonShownTree(tree: string, members: readonly string[] = []): Promise<ShownTree | null> {
  for (const directory of ['', ...members.map((each) => `${each}/`)])
    for (const path of ['setup.py', 'setup.cfg', 'pyproject.toml'])
      if (DATA_FILES.test((await readTreeText(tree, `${directory}${path}`)) ?? '')) return null;
  const files = new Map<string, string | Uint8Array>();
  const inputs = new Set(['', 'requirements', ...members]);
  await visit(tree, '', { depth: DEPTH, inputs }, files);
  return showFiles(files);
}

async function visit(
  tree: string,
  directory: string,
  { depth, inputs }: { depth: number; inputs: ReadonlySet<string> },
  files: Map<string, string | Uint8Array>,
): Promise<void> {
  const entries = await listTree(tree, directory);
  const isInput = inputs.has(directory);
  const modules: string[] = [];
  for (const entry of entries) {
    const { name } = entry;
    const path = directory === '' ? name : `${directory}/${name}`;
    if (entry.isDirectory()) {
      if (depth > 0 && !(directory === '' && SKIPPED.has(name)) && name !== '__pycache__')
        await visit(tree, path, { depth: depth - 1, inputs }, files);
    } else if (entry.isFile()) {
      if (name.endsWith('.py')) modules.push(path);
      if (isInput) files.set(path, PROSE.test(name) ? '' : ((await readTreeFile(tree, path)) ?? ''));
      else if (VERSION_FILE.test(name)) files.set(path, statements((await readTreeText(tree, path)) ?? ''));
      else if (name === 'py.typed') files.set(path, '');
    }
  }
  const [first] = modules.sort();
  // A directory of modules is a package even without an __init__.py.
  if (first !== undefined && !modules.some((path) => files.has(path))) files.set(first, NOT_SHOWN);
}

function statements(text: string): string {
  const lines = text.split('\n').filter((line) => VERSION_LINE.test(line) || PLAIN_ATTRIBUTE.test(line));
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}
