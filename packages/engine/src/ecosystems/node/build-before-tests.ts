import { z } from 'zod';
import { listTree, readTreeText } from '../tree-files.ts';
import type { PackageJson } from './read-package.ts';

const Entries = z.object({ main: z.unknown(), module: z.unknown(), exports: z.unknown(), ava: z.unknown() }).partial();
/** Directories that builds make. */
const MADE = /(?:^|["'./])(dist|build|out|lib|es|esm|cjs|output|compiled)\//g;
const BUILDS = /\b(?:build|compile|tsc|babel|rollup|esbuild|tsup|unbuild|swc|prepack|prepare)\b/;

/**
 * The line that makes what the tests of a package load, for `--before`; null where they load its sources. A package is
 * built when it builds itself before it runs its tests, and what its manifest offers is not there at T0.
 */
export async function buildBeforeTests(tree: string, { scripts }: PackageJson): Promise<string | null> {
  const name = ['build', 'compile'].find((each) => scripts[each] !== undefined);
  const before = [scripts['pretest'], scripts['test']].some((script) => BUILDS.test(script ?? ''));
  if (name === undefined || !before) return null;
  const manifest = Entries.safeParse(JSON.parse((await readTreeText(tree, 'package.json')) ?? '{}')).data ?? {};
  const present = new Set((await listTree(tree, '.')).map((entry) => entry.name));
  const offered = JSON.stringify([manifest.main, manifest.module, manifest.exports, manifest.ava]);
  const isMissing = [...offered.matchAll(MADE)].some(([, directory = '']) => !present.has(directory));
  return isMissing ? `npm run ${name}` : null;
}

/** The line that puts addons, which the environment has compiled, where a package looks for them; null without any. */
export async function addonsBeforeTests(tree: string): Promise<string | null> {
  return (await readTreeText(tree, 'binding.gyp')) === null ? null : 'cp -R node_modules/.addons/. .';
}
