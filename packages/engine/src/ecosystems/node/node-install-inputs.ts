import { createHash } from 'node:crypto';
import { canonicalJson } from '@assay/protocol';
import { z } from 'zod';
import { listTree, readTreeText } from '../tree-files.ts';
import { workspaceDirectories } from './node-project-names.ts';

/** Members of a manifest that change nothing about what is installed. */
const IRRELEVANT = new Set([
  'version',
  'description',
  'keywords',
  'author',
  'contributors',
  'license',
  'repository',
  'bugs',
  'homepage',
  'funding',
  'files',
  'main',
  'module',
  'types',
  'typings',
  'exports',
  'sideEffects',
  'browser',
  'unpkg',
  'jsdelivr',
  'gitHead',
  'publishConfig',
  'prettier',
  'eslintConfig',
  'jest',
  'mocha',
  'ava',
  'nyc',
  'c8',
  'tap',
  'babel',
  'lint-staged',
  'husky',
  'commitlint',
  'release',
  'xo',
  'tsd',
  'size-limit',
  'browserslist',
]);
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'];
const JsonObject = z.record(z.string(), z.unknown());

/**
 * sha256 hex over what decides an installation: the manifests of the root and its workspaces, lockfiles, settings,
 * patches.
 */
export async function nodeInstallInputs(tree: string): Promise<string> {
  const parts: Record<string, unknown> = {};
  for (const directory of ['', ...(await workspaceDirectories(tree)).map((path) => `${path}/`)]) {
    parts[`${directory}package.json`] = relevant(await readTreeText(tree, `${directory}package.json`));
  }
  for (const name of [
    'package-lock.json',
    'npm-shrinkwrap.json',
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    'yarn.lock',
    '.npmrc',
    '.yarnrc',
    '.pnpmfile.cjs',
  ]) {
    parts[name] = await readTreeText(tree, name);
  }
  for (const { name } of await listTree(tree, 'patches'))
    parts[`patches/${name}`] = await readTreeText(tree, `patches/${name}`);
  return createHash('sha256').update(canonicalJson(parts)).digest('hex');
}

function relevant(text: string | null): unknown {
  if (text === null) return null;
  const parsed = JsonObject.safeParse(tryJson(text));
  if (!parsed.success) return text;
  const kept = Object.fromEntries(
    Object.entries(parsed.data).filter(([key]) => !IRRELEVANT.has(key) && key !== 'scripts'),
  );
  const scripts = JsonObject.safeParse(parsed.data['scripts']);
  return {
    ...kept,
    scripts: scripts.success
      ? Object.fromEntries(INSTALL_SCRIPTS.map((name) => [name, scripts.data[name] ?? null]))
      : {},
  };
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
