import type { Leak } from '@assay/protocol';

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
