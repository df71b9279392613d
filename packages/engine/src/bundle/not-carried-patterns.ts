import type { ArchiveContents } from './check-archive.ts';

/** Directories that may be large and are no part of a submission. */
const OUTPUT = ['node_modules', '__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache', '.tox', '.nox', '.venv'];

/**
 * What Harbor shall leave behind when it carries the workspace over, as patterns of tar's `--exclude`: git data; output
 * of tools of which T0 has none; links of T0 that point outside, because of which Harbor would drop everything.
 */
export function notCarriedPatterns(t0: ArchiveContents): string[] {
  return [
    './.git',
    ...OUTPUT.filter((name) => !t0.names.has(name)),
    ...t0.linksOutside.map((path) => `./${path.replace(/[\\*?[\]]/g, '\\$&')}`),
  ];
}
