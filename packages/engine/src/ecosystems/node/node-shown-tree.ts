import { listTree, readTreeFile, readTreeText } from '../tree-files.ts';
import { showFiles, showWholeTree, type ShownTree } from '../shown-tree.ts';
import { BUN_LOCKFILES, readNodeLockfile } from './node-lockfile.ts';
import { workspaceDirectories } from './node-project-names.ts';
import { readPackage } from './read-package.ts';
import { INSTALL_SCRIPTS, relevantManifest } from './relevant-manifest.ts';

const MANIFEST = 'package.json';
const SETTINGS = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'yarn.lock',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
];
const DEPTH = 6;
const MAX_MANIFESTS = 2000;
/** Install scripts that set up a checkout or apply `patches/`. They need no files of the repository's own. */
const NEEDS_NO_FILES =
  /^(?:npx )?(?:husky(?: install)?|patch-package|is-ci|lefthook install|simple-git-hooks|opencollective(?:-postinstall)?|true|exit 0|echo\b[^|&;]*)$/;
const LOCAL_RANGE = /^(?:file:|link:|portal:|\.{0,2}\/|~\/)/;

/**
 * Selects what an installation sees: the manifests of the root and of every package below it, lockfiles, settings,
 * patches, and empty programs where the manifests name some; or the whole tree when the repository's own code takes
 * part.
 */
export async function nodeShownTree(tree: string): Promise<ShownTree> {
  return (await takesPart(tree)) ? showWholeTree(tree) : showFiles(await filesToInstall(tree));
}

/** Whether installing needs more of a repository than its manifests: its own scripts, or packages that lie in it. */
async function takesPart(tree: string): Promise<boolean> {
  for (const path of ['.pnpmfile.cjs', 'binding.gyp']) if ((await readTreeFile(tree, path)) !== null) return true;
  if (/["'\s(]file:/.test((await readNodeLockfile(tree))?.text ?? '')) return true;
  for (const directory of ['.', ...(await workspaceDirectories(tree))]) {
    const manifest = await readPackage(tree, directory);
    if (!manifest) continue;
    const scripts = INSTALL_SCRIPTS.map((name) => manifest.scripts[name] ?? '').flatMap((text) =>
      text.split(/&&|\|\||;/),
    );
    if (scripts.some((script) => script.trim() !== '' && !NEEDS_NO_FILES.test(script.trim()))) return true;
    const ranges = [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies];
    if (ranges.flatMap(Object.values).some((range) => LOCAL_RANGE.test(range))) return true;
  }
  return false;
}

async function filesToInstall(tree: string): Promise<Map<string, string | Uint8Array>> {
  const files = new Map<string, string | Uint8Array>();
  for (const name of SETTINGS) {
    const text = await readTreeText(tree, name);
    if (text !== null) files.set(name, text);
  }
  for (const name of BUN_LOCKFILES) {
    const content = await readTreeFile(tree, name);
    if (content !== null) files.set(name, content);
  }
  for (const directory of ['patches', '.yarn/patches'])
    for (const { name } of await listTree(tree, directory)) {
      const content = await readTreeFile(tree, `${directory}/${name}`);
      if (content !== null) files.set(`${directory}/${name}`, content);
    }
  const manifests = await manifestPaths(tree, '', DEPTH);
  for (const path of manifests.slice(0, MAX_MANIFESTS)) {
    const { text, programs } = relevantManifest((await readTreeText(tree, path)) ?? '', path === MANIFEST);
    files.set(path, text);
    for (const program of programs) {
      const at = `${path.slice(0, -MANIFEST.length)}${program}`;
      if (!files.has(at)) files.set(at, '#!/usr/bin/env node\n');
    }
  }
  return withoutConflicts(files);
}

async function manifestPaths(tree: string, directory: string, depth: number): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await listTree(tree, directory === '' ? '.' : directory)) {
    const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
    if (entry.name === MANIFEST && !entry.isDirectory()) found.push(path);
    else if (entry.isDirectory() && depth > 0 && entry.name !== 'node_modules' && entry.name !== '.git')
      found.push(...(await manifestPaths(tree, path, depth - 1)));
  }
  return found.sort();
}

/** Drops made-up programs whose path is the directory of another file. */
function withoutConflicts(files: Map<string, string | Uint8Array>): Map<string, string | Uint8Array> {
  const directories = new Set(
    [...files.keys()].flatMap((path) => path.split('/').map((_, index, parts) => parts.slice(0, index).join('/'))),
  );
  return new Map([...files].filter(([path]) => !directories.has(path)));
}
