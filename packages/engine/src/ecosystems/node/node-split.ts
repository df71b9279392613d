import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mount } from '@assay/sandbox';
import type { SplitFacet } from '../split-facet.ts';
import { buildEvaluator } from './build-evaluator.ts';

const TOOL = fileURLToPath(new URL('split/', import.meta.url));
const IN_SANDBOX = '/opt/assay/split';
const MODULES = '/opt/assay/node_modules';
/** Packages that the tool imports. */
const PACKAGES = ['@babel/parser', 'magic-string', 'expect', 'pretty-format'];
const OLDEST = 20;

export const nodeSplit: SplitFacet = {
  version: 2,
  raiseWord: 'throw',
  runners: ['vitest', 'jest', 'node:test', 'mocha'],
  refusal({ spec }) {
    const major = Number(spec.interpreter.split('.')[0]);
    return major > 0 && major < OLDEST ? `Node ${spec.interpreter} is older than ${OLDEST}` : null;
  },
  tool: ({ env }) => ({
    argv: [env['ASSAY_NODE'] ?? 'node', `${IN_SANDBOX}/tool.mjs`],
    env: { NODE_OPTIONS: '', NODE_PATH: '', TZ: 'UTC' },
    mounts: toolMounts(),
  }),
  evaluatorFiles: () => buildEvaluator(TOOL),
  baseOf(strippedId) {
    const at = strippedId.indexOf(' > ');
    return at < 0 ? strippedId : strippedId.slice(0, at) + strippedId.slice(at).replace(/ \[\d+\](?= > |$)/g, '');
  },
};

let mounts: Mount[] | undefined;

/** The tool, and what it imports. */
function toolMounts(): Mount[] {
  mounts ??= [{ kind: 'read-only', source: TOOL, target: IN_SANDBOX }, ...packageMounts()];
  return mounts;
}

/** One mount where all packages lie in one directory, since each takes its time; else each where it is found from the one that needs it. */
function packageMounts(): Mount[] {
  const found = new Map<string, string>();
  for (const name of PACKAGES) place(name, TOOL, IN_SANDBOX, found);
  const root = dirname(findPackage('expect', TOOL) ?? '');
  const areTogether = [...found].every(([target, source]) => source === join(root, relative(MODULES, target)));
  const all = areTogether ? [[MODULES, root] as const] : [...found];
  return all.map(([target, source]) => ({ kind: 'read-only', source, target }));
}

/**
 * Places a package and its dependencies in `found`: target to source. The highest place that is free is taken; what lies
 * in the directory of the package that needs it comes with that.
 */
function place(name: string, from: string, target: string, found: Map<string, string>): void {
  const source = findPackage(name, from);
  if (source === null) return;
  const top = join(MODULES, name);
  if (found.get(top) === source) return;
  const isWithin = source.startsWith(`${from}/`) && from !== TOOL;
  const at = isWithin || found.has(top) ? join(target, 'node_modules', name) : top;
  if (!isWithin) found.set(at, source);
  for (const dependency of dependenciesOf(source)) place(dependency, source, at, found);
}

function dependenciesOf(directory: string): string[] {
  const manifest: unknown = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const { dependencies } = manifest as { dependencies?: Record<string, string> };
  return Object.keys(dependencies ?? {}).filter((name) => !name.startsWith('@types/'));
}

/** As Node finds it: in the nearest `node_modules` above. */
function findPackage(name: string, from: string): string | null {
  const paths = createRequire(join(from, 'package.json')).resolve.paths(name) ?? [];
  return paths.map((path) => join(path, name)).find((path) => existsSync(join(path, 'package.json'))) ?? null;
}
