import { posix } from 'node:path';

const TEST_DIRECTORY_ANYWHERE = 'tests';
/**
 * Directories that hold tests only at the root: deeper down, `pkg/testing/` and `pkg/test/` are code that the project
 * ships.
 */
const TEST_DIRECTORIES_AT_ROOT = new Set([
  'test',
  'testing',
  't',
  'unittests',
  'unit_tests',
  'functional_tests',
  'integration_tests',
]);
const OTHER_DIRECTORIES = new Set([
  'doc',
  'docs',
  'documentation',
  'example',
  'examples',
  'demo',
  'demos',
  'sample',
  'samples',
  'benchmark',
  'benchmarks',
  'bench',
  'performance',
  'perf',
  'requirements',
  'changes',
  'changelog',
  'changelog.d',
  'news',
  'newsfragments',
  'scripts',
  'script',
  'tools',
  'ci',
  'build',
  'dist',
  'artwork',
  'artifacts',
  'tasks',
  'release',
  'packaging-scripts',
  'licenses',
  'vendor-scripts',
]);
/** Root scripts that build or automate and that nobody imports. */
const OTHER_ROOT_SCRIPTS = new Set([
  'setup.py',
  'noxfile.py',
  'tasks.py',
  'fabfile.py',
  'versioneer.py',
  'dodo.py',
  'ez_setup.py',
  'bootstrap.py',
  'make.py',
  'pavement.py',
]);
const PROSE = /\.(md|rst|txt|adoc|textile)$/i;
const PYTHON = /\.(py|pyi|pyx|pxd)$/;
const TEST_FILE = /^(test_.*|.*_test|tests|conftest)\.py$/;

/**
 * `test`: `tests/` at any depth, `test/` or `testing/` at the root, and files named as pytest and Django name them.
 * `source`: every other Python file, and data beside it. `other`: documentation, examples, automation, manifests.
 */
export function classifyPythonPath(path: string): 'source' | 'test' | 'other' {
  const parts = path.split('/');
  const name = posix.basename(path);
  const directories = parts.slice(0, -1);
  const top = directories[0];
  if (top !== undefined && (OTHER_DIRECTORIES.has(top.toLowerCase()) || top.startsWith('.'))) return 'other';
  if (
    directories.includes('__pycache__') ||
    /\.(pyc|pyo)$/.test(name) ||
    directories.some((part) => /\.(egg|dist)-info$/.test(part))
  )
    return 'other';
  if (isTestDirectory(directories) || TEST_FILE.test(name)) return 'test';
  if (top === undefined) return classifyAtRoot(name);
  if (PYTHON.test(name)) return 'source';
  return PROSE.test(name) && !isShippedData(directories) ? 'other' : 'source';
}

function isTestDirectory(directories: string[]): boolean {
  const top = directories[0];
  if (top === undefined) return false;
  return TEST_DIRECTORIES_AT_ROOT.has(top) || directories.includes(TEST_DIRECTORY_ANYWHERE);
}

function classifyAtRoot(name: string): 'source' | 'test' | 'other' {
  if (name === 'test.py') return 'test';
  return PYTHON.test(name) && !OTHER_ROOT_SCRIPTS.has(name) ? 'source' : 'other';
}

/** Text files below a package are data (word lists, templates); those beside the packages are prose. */
function isShippedData(directories: string[]): boolean {
  return directories[0] === 'src' ? directories.length > 1 : directories.length > 0;
}
