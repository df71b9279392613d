import { posix } from 'node:path';

const TEST_DIRECTORIES = new Set([
  'test',
  'tests',
  '__tests__',
  '__test__',
  'spec',
  'specs',
  '__specs__',
  '__mocks__',
  '__snapshots__',
  '__fixtures__',
]);
const TEST_DIRECTORIES_OF_PACKAGE = new Set(['fixtures', 'fixture', 'e2e', 'tap-snapshots', 'unit', 'integration']);
const OTHER_DIRECTORIES_OF_PACKAGE = new Set([
  'doc',
  'docs',
  'documentation',
  'website',
  'site',
  'example',
  'examples',
  'demo',
  'demos',
  'sample',
  'samples',
  'playground',
  'playgrounds',
  'benchmark',
  'benchmarks',
  'bench',
  'dist',
  'build',
  'out',
  'coverage',
  'scripts',
  'script',
  'tools',
  'tasks',
  'ci',
  'assets',
  'artwork',
  'changelogs',
  'release',
]);
const WORKSPACES = new Set(['packages', 'apps', 'libs', 'modules', 'crates']);
const CODE =
  /\.([cm]?[jt]sx?|vue|svelte|json|json5|wasm|node|peg|pegjs|jison|bnf|ne|graphql|hbs|ejs|pug|css|scss|less|html|snap|txt)$/;
const SCRIPT = /\.([cm]?[jt]sx?|vue|svelte)$/;
const PROSE = /\.(md|mdx|markdown|rst|adoc)$|^(LICEN[CS]E|README|CHANGELOG|AUTHORS|NOTICE)/i;
/** Names of files that are tests wherever they lie. */
export const TEST_FILE = /(\.|-|_)(test|spec|tests|test-d|bench)\.[cm]?[jt]sx?$|^(test|tests|spec)\.[cm]?[jt]sx?$/;
const CONFIGURATION =
  /(^|\.)(config|conf|setup|workspace)\.([cm]?[jt]s|json)$|^(Gruntfile|Gulpfile|gulpfile|Makefile|Jakefile|rollup|webpack|karma|knexfile)\b|^\./;
const MANIFEST =
  /^(package(-lock)?|npm-shrinkwrap|tsconfig.*|jsconfig|lerna|nx|turbo|deno|bower|component|renovate|typedoc|jsr|tslint|biome|project)\.jsonc?$|^(pnpm-lock|pnpm-workspace)\.ya?ml$|^yarn\.lock$|^bun\.lockb?$/;

/**
 * `test`: test directories, files named as tests, their fixtures and snapshots. `source`: code and data of the package
 * otherwise. `other`: documentation, examples, configuration, manifests and built output.
 */
export function classifyNodePath(path: string): 'source' | 'test' | 'other' {
  const parts = path.split('/');
  const name = posix.basename(path);
  const directories = parts.slice(0, -1);
  const inPackage = WORKSPACES.has(directories[0] ?? '') && directories.length > 1 ? directories.slice(2) : directories;
  const top = inPackage[0]?.toLowerCase();
  if (directories.includes('node_modules') || directories.some((part) => part.startsWith('.'))) return 'other';
  if (top !== undefined && OTHER_DIRECTORIES_OF_PACKAGE.has(top)) return 'other';
  if (
    directories.some((part) => TEST_DIRECTORIES.has(part)) ||
    (top !== undefined && TEST_DIRECTORIES_OF_PACKAGE.has(top))
  )
    return 'test';
  if (TEST_FILE.test(name) || name.endsWith('.snap')) return 'test';
  if (MANIFEST.test(name) || CONFIGURATION.test(name) || PROSE.test(name)) return 'other';
  if (inPackage.length === 0) return SCRIPT.test(name) ? 'source' : 'other';
  return CODE.test(name) ? 'source' : 'other';
}
