import { opendir, open, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { fetchPublic } from '../../content/http/fetch-public.ts';
import { redact } from '../../git/source-location.ts';
import { parseOsv, type OsvRecord } from './osv-record.ts';

/** Of a file or an answer that holds many records. */
const MAX_BYTES = 64 * 1024 * 1024;
/** More than any ecosystem's whole export has. */
const MAX_FILES = 400_000;
const MAX_DEPTH = 8;

/** A record; or, of a file of a directory, why it is left out. */
export type ReadRecord = { record: OsvRecord } | { refused: string };
export type ReadAdvisories = AsyncIterable<ReadRecord>;

/**
 * Opens what `--osv` names: a directory (every `*.json` below it is one record or several), a file, or an http or https address. A file or an
 * answer is read and checked here, whole; of a directory, a bad file is left out and told. Throws `ADVISORY_INVALID`, `ADVISORY_UNREADABLE` and what
 * `fetchPublic` throws.
 */
export async function openAdvisories(source: string, signal?: AbortSignal): Promise<ReadAdvisories> {
  if (/^https?:\/\//i.test(source)) {
    const { bytes } = await fetchPublic(source, {
      maxBytes: MAX_BYTES,
      local: 'named',
      ...(signal ? { signal } : {}),
    }).catch((error: unknown) => {
      throw AssayError.is(error) && error.code === 'CONTENT_UNREACHABLE'
        ? unreadable(redact(source), String(error.details['detail']))
        : error;
    });
    return listed(parseOsv(decode(bytes, redact(source)), redact(source)));
  }
  if (/^[a-z][a-z0-9+.-]+:(?:\/\/|:)/i.test(source) || source.includes('\0'))
    throw unreadable(source, 'it is neither a directory, nor a file, nor an http or https address');
  const entry = await stat(source).catch(() => null);
  if (entry?.isDirectory()) return ofDirectory(source, signal);
  if (!entry?.isFile())
    throw unreadable(source, entry ? 'it is neither a directory nor a file' : 'there is no such file or directory');
  return listed(parseOsv(await readText(source, MAX_BYTES), source));
}

async function* listed(records: OsvRecord[]): AsyncGenerator<ReadRecord> {
  for (const record of records) yield { record };
}

async function* ofDirectory(directory: string, signal: AbortSignal | undefined): AsyncGenerator<ReadRecord> {
  let count = 0;
  let good = 0;
  let first: AssayError | null = null;
  for await (const path of jsonFiles(await realpath(directory), 0)) {
    signal?.throwIfAborted();
    count += 1;
    if (count > MAX_FILES) throw unreadable(directory, `it holds more than ${MAX_FILES} files`);
    try {
      const records = parseOsv(await readText(path, MAX_BYTES), path);
      good += records.length;
      yield* records.map((record) => ({ record }));
    } catch (error) {
      if (!AssayError.is(error)) throw error;
      first ??= error;
      yield { refused: error.message };
    }
  }
  if (good > 0) return;
  throw first ?? unreadable(directory, 'it holds no *.json');
}

async function* jsonFiles(directory: string, depth: number): AsyncGenerator<string> {
  const inner: string[] = [];
  for await (const entry of await opendir(directory)) {
    if (entry.isFile() && entry.name.endsWith('.json')) yield join(directory, entry.name);
    else if (entry.isDirectory() && !entry.name.startsWith('.') && depth < MAX_DEPTH) inner.push(entry.name);
  }
  for (const name of inner.sort()) yield* jsonFiles(join(directory, name), depth + 1);
}

async function readText(path: string, limit: number): Promise<string> {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw unreadable(path, error instanceof Error && 'code' in error ? String(error.code) : 'it cannot be opened');
  });
  try {
    if ((await file.stat()).size > limit)
      throw new AssayError('ADVISORY_INVALID', { file: path, detail: `it is larger than ${limit} bytes` });
    return decode(await file.readFile(), path);
  } finally {
    await file.close();
  }
}

function decode(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new AssayError('ADVISORY_INVALID', { file: name, detail: 'it is no UTF-8' });
  }
}

const unreadable = (path: string, detail: string): AssayError =>
  new AssayError('ADVISORY_UNREADABLE', { path, detail });
