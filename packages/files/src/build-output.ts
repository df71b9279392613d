/** Directories that tools make beside the sources; what is in them is never part of a change unless T0 tracks it. */
export const OUTPUT_DIRECTORIES: ReadonlySet<string> = new Set([
  'node_modules',
  '__pycache__',
  '__pypackages__',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.hypothesis',
  '.tox',
  '.nox',
  '.venv',
  '.eggs',
  '.nyc_output',
  '.vitest',
  '.turbo',
  '.parcel-cache',
]);
export const OUTPUT_FILES: ReadonlySet<string> = new Set(['.coverage', '.DS_Store', '.eslintcache']);
export const OUTPUT_FILE_ENDS: readonly string[] = ['.pyc', '.pyo', '.swp', '.tsbuildinfo'];

/** Returns whether a directory of this name holds tool output: caches, installed packages, builds. */
export function isOutputDirectory(name: string): boolean {
  return OUTPUT_DIRECTORIES.has(name) || name.endsWith('.egg-info');
}

/** The file that makes a directory a Python environment, whatever the directory is called. */
export const PYTHON_ENVIRONMENT_FILE = 'pyvenv.cfg';

/** Returns whether a file of this name is tool output: compiled code, editor leftovers. */
export function isOutputFile(name: string): boolean {
  return OUTPUT_FILES.has(name) || OUTPUT_FILE_ENDS.some((end) => name.endsWith(end));
}
