import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { AssayError } from '@assay/protocol';
import type { ModelLaneEntry } from './contract.ts';

export interface RecordFile {
  /** Appends one line. Throws when it cannot be written. */
  record: (entry: ModelLaneEntry) => void;
  close: () => void;
  /** Closes it and removes it. */
  discard: () => void;
}

/**
 * A new file, readable by its owner only, with one JSON line for each request. Throws `BAD_OPTION` when it exists or
 * cannot be made.
 */
export function openRecordFile(file: string): RecordFile {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'ax', 0o600);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new AssayError('BAD_OPTION', {
      option: '--record',
      detail: code === 'EEXIST' ? `${file} exists already` : `${file} cannot be written (${code})`,
    });
  }
  return {
    record: (entry) => {
      // Written at once and in one piece, so that every answer is recorded whatever happens next.
      const line = Buffer.from(`${JSON.stringify(entry)}\n`);
      for (let written = 0; written < line.length;) written += writeSync(descriptor, line, written);
    },
    close: () => closeSync(descriptor),
    discard: () => {
      closeSync(descriptor);
      rmSync(file, { force: true });
    },
  };
}
