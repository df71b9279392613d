import type { Leak } from '@assay/protocol';

/** A place that could not be examined, or not completely. It is not known to be clean. */
export interface Unreadable {
  where: string;
  reason: string;
}

export interface ScanReport {
  leaks: Leak[];
  unreadable: Unreadable[];
  files: number;
  /** Size of the files as they are on disk. */
  bytes: number;
  durationMs: number;
}
