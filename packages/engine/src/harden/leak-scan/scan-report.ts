/** Lines of the answer in a place that an agent can read. */
export interface Leak {
  /** `label/path`, then `!member` for each archive, stream or object that had to be opened. */
  where: string;
  /** Of the needle: `reference:src/a.py`. */
  origin: string;
  /** The first run that was found there. */
  lines: string[];
  /** How many different runs of this origin stand there. */
  runs: number;
}

/** A place that could not be looked into, or not wholly. It is not known to be clean. */
export interface Unreadable {
  where: string;
  reason: string;
}

export interface ScanReport {
  leaks: Leak[];
  unreadable: Unreadable[];
  files: number;
  /** Of files as they lie on disk. */
  bytes: number;
  durationMs: number;
}
