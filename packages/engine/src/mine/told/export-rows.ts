import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { jsonRows } from './json-rows.ts';

/** Where a row stands, in bytes. */
export interface Place {
  file: number;
  start: number;
  length: number;
}

/** The files of an export. */
export interface ExportRows {
  /** Yields every object, parsed. One is held at a time. */
  each(signal?: AbortSignal): AsyncGenerator<{ row: unknown; place: Place }>;
  /** Reads a row again; null when it is there no longer. */
  at(place: Place): Promise<unknown>;
}

const MAX_ROW = 4 * 1024 * 1024;

/**
 * Opens an export: every `*.json`, `*.jsonl` and `*.ndjson` of a directory, or one such file: arrays of rows, or a row a
 * line. Throws `BAD_OPTION` for `option` when there is no such file.
 */
export async function openExport(path: string, option: string): Promise<ExportRows> {
  const files = await filesOf(path, option);
  return {
    async *each(signal) {
      for (const [file, name] of files.entries())
        for await (const { text, start, length } of jsonRows(name, MAX_ROW)) {
          signal?.throwIfAborted();
          const row = parsed(text);
          if (row !== null) yield { row, place: { file, start, length } };
        }
    },
    at: async ({ file, start, length }) => {
      let handle: FileHandle | undefined;
      try {
        handle = await open(files[file] ?? '');
        const { buffer } = await handle.read(Buffer.alloc(length), 0, length, start);
        return parsed(buffer.toString('utf8'));
      } finally {
        await handle?.close();
      }
    },
  };
}

async function filesOf(path: string, option: string): Promise<string[]> {
  const unusable = (detail: string): AssayError => new AssayError('BAD_OPTION', { option, detail });
  const found = await stat(path).catch(() => null);
  if (found === null) throw unusable(`${path} is not there`);
  if (found.isFile()) return [path];
  const names = (await readdir(path)).filter((name) => /\.(?:json|jsonl|ndjson)$/i.test(name)).sort();
  if (names.length === 0) throw unusable(`${path} holds no *.json, *.jsonl or *.ndjson`);
  return names.map((name) => join(path, name));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
