import { posix } from 'node:path';
import { z } from 'zod';
import { listTree, readTreeText } from '../tree-files.ts';
import type { PackageJson } from './read-package.ts';

const Entries = z
  .object({ main: z.unknown(), module: z.unknown(), exports: z.unknown(), bin: z.unknown(), ava: z.unknown() })
  .partial();
/** Directories that builds make. */
const MADE = /(?:^|["'./])(dist|build|out|lib|es|esm|cjs|output|compiled)\//g;
const BUILDS = /\b(?:build|compile|tsc|babel|rollup|esbuild|tsup|unbuild|swc|prepack|prepare)\b/;

/**
 * The line that makes what the tests of a package load, for `--before`; null where they load its sources. A package is
 * built when it builds itself before it runs its tests, and what its manifest offers is not there at T0. Others may
 * need it, too, which only a run tells: {@link nodeCommandThatBuilds}.
 */
export async function buildBeforeTests(tree: string, { scripts }: PackageJson): Promise<string | null> {
  const name = buildScript(scripts);
  const before = [scripts['pretest'], scripts['test']].some((script) => BUILDS.test(script ?? ''));
  if (name === null || !before) return null;
  return (await madeAndAbsent(tree, '.')).length > 0 ? `npm run ${name}` : null;
}

/** The script of a package that builds it; null without one. */
export function buildScript(scripts: PackageJson['scripts']): string | null {
  return ['build', 'compile'].find((each) => scripts[each] !== undefined) ?? null;
}

/** The directories that a package's manifest offers, that builds make, and that are not there. */
export async function madeAndAbsent(tree: string, directory: string): Promise<string[]> {
  const { main, module, exports, bin, ava } = await readEntries(tree, directory);
  const present = new Set((await listTree(tree, directory)).map((entry) => entry.name));
  const offered = JSON.stringify([main, module, exports, bin, ava]);
  return [...new Set([...offered.matchAll(MADE)].map(([, made = '']) => made))].filter((each) => !present.has(each));
}

async function readEntries(tree: string, directory: string): Promise<z.infer<typeof Entries>> {
  const text = await readTreeText(tree, posix.join(directory, 'package.json'));
  try {
    return Entries.safeParse(JSON.parse(text ?? '{}')).data ?? {};
  } catch {
    return {};
  }
}

/** The line that puts addons, which the environment has compiled, where a package looks for them; null without any. */
export async function addonsBeforeTests(tree: string): Promise<string | null> {
  return (await readTreeText(tree, 'binding.gyp')) === null ? null : 'cp -R node_modules/.addons/. .';
}
