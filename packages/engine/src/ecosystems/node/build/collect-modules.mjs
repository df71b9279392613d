// Runs inside the build sandbox. Moves every node_modules of a tree to another directory, without what differs from
// install to install, and prints one JSON object with the installed packages. Addons that the tree compiled for itself go
// with them, below node_modules/.addons at the path that they had. Called as: collect-modules.mjs TREE OUT
import { cpSync, lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';

const [tree, out] = process.argv.slice(2);
const VOLATILE = [
  '.package-lock.json',
  '.modules.yaml',
  '.yarn-integrity',
  '.yarn-state.yml',
  '.pnpm-workspace-state.json',
  '.pnpm-workspace-state-v1.json',
  '.cache',
  '.vite',
  '.vitest',
  '.pnpm/lock.yaml',
  '.pnpm-debug.log',
];
const DEPTH = 4;

const entries = (directory) => {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
};

/** Paths of all directories called node_modules that lie in no other one. */
function findModules(directory, depth) {
  return entries(join(tree, directory))
    .filter((entry) => entry.isDirectory() && entry.name !== '.git')
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      if (entry.name === 'node_modules') return [path];
      return depth > 0 ? findModules(path, depth - 1) : [];
    });
}

const pins = new Set();
function collectPins(modules) {
  for (const entry of entries(modules)) {
    const path = join(modules, entry.name);
    if (!entry.isDirectory()) continue;
    if (entry.name === '.pnpm')
      for (const stored of entries(path)) collectPins(join(path, stored.name, 'node_modules'));
    else if (entry.name.startsWith('@')) for (const inner of entries(path)) addPackage(join(path, inner.name));
    else if (!entry.name.startsWith('.')) addPackage(path);
  }
}
function addPackage(path) {
  if (lstatSync(path).isSymbolicLink()) return;
  try {
    const { name, version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    if (typeof name === 'string' && typeof version === 'string') pins.add(`${name}==${version}`);
  } catch {
    /* a directory without a manifest is no package */
  }
  collectPins(join(path, 'node_modules'));
}

/** Links that lead out of the tree work nowhere else, and no archive takes them. */
function removeEscapingLinks(directory) {
  for (const entry of entries(directory)) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) removeEscapingLinks(path);
    else if (entry.isSymbolicLink()) {
      const target = readlinkSync(path);
      if (isAbsolute(target) || relative(tree, resolve(directory, target)).startsWith('..')) rmSync(path);
    }
  }
}

function move(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (error.code !== 'EXDEV') throw error;
    cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  }
}

/** Paths of what node-gyp made of the tree's own sources. */
function findAddons(directory, depth) {
  return entries(join(tree, directory)).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory())
      return depth > 0 && !['.git', 'node_modules', 'obj.target'].includes(entry.name)
        ? findAddons(path, depth - 1)
        : [];
    return entry.isFile() && /(?:^|\/)build\/Release\/[^/]+\.node$/.test(path) ? [path] : [];
  });
}

const addons = findAddons('', DEPTH);
for (const path of addons) {
  const target = join(tree, 'node_modules/.addons', path);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(tree, path), target);
}
const found = findModules('', DEPTH);
for (const path of found) {
  for (const name of VOLATILE) rmSync(join(tree, path, name), { recursive: true, force: true });
  collectPins(join(tree, path));
  removeEscapingLinks(join(tree, path));
  mkdirSync(join(out, dirname(path)), { recursive: true });
  move(join(tree, path), join(out, path));
}
process.stdout.write(JSON.stringify({ directories: found, addons, pins: [...pins].sort() }));
