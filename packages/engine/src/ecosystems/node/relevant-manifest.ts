import { posix } from 'node:path';
import { z } from 'zod';

/** Members of a manifest that do not affect what is installed. */
const IRRELEVANT = new Set([
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
/** The scripts that every manager runs during installation. */
export const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'];
const JsonObject = z.record(z.string(), z.unknown());
const SAFE_PATH = /^(?!\/)(?!.*(?:^|\/)(?:\.\.|node_modules)(?:\/|$))[\w@+./-]+[\w@+-]$/;

/**
 * Reduces a manifest to what affects an installation, and lists the programs that it offers, as relative paths. The
 * version only matters for workspace packages, whose siblings ask for ranges of it.
 */
export function relevantManifest(text: string, isRoot: boolean): { text: string; programs: string[] } {
  const parsed = JsonObject.safeParse(tryJson(text));
  if (!parsed.success) return { text, programs: [] };
  const { scripts: allScripts, bin, version, ...members } = parsed.data;
  const kept = Object.fromEntries(Object.entries(members).filter(([key]) => !IRRELEVANT.has(key)));
  const scripts = JsonObject.safeParse(allScripts);
  const installing = INSTALL_SCRIPTS.filter((name) => scripts.success && name in scripts.data);
  const manifest = {
    ...kept,
    bin,
    version: isRoot ? undefined : version,
    scripts: Object.fromEntries(installing.map((name) => [name, scripts.data?.[name]])),
  };
  const targets = typeof bin === 'string' ? [bin] : Object.values(JsonObject.safeParse(bin).data ?? {});
  const programs = targets
    .filter((target) => typeof target === 'string')
    .map((target) => posix.normalize(target))
    .filter((target) => SAFE_PATH.test(target));
  return { text: JSON.stringify(manifest), programs };
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return null;
  }
}
