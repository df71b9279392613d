import type { ArchiveContents } from './check-archive.ts';

/** Directories that may be large and are not part of a submission. */
const OUTPUT = ['node_modules', '__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache', '.tox', '.nox', '.venv'];

/**
 * Lists what Harbor leaves behind when it carries the workspace over, as patterns of tar's `--exclude`: git data,
 * output of tools that T0 does not contain, and links of T0 that point outside, which would make Harbor drop
 * everything.
 */
export function notCarriedPatterns(t0: ArchiveContents): string[] {
  return [
    './.git',
    ...OUTPUT.filter((name) => !t0.names.has(name)),
    ...t0.linksOutside.map((path) => `./${path.replace(/[\\*?[\]]/g, '\\$&')}`),
  ];
}
