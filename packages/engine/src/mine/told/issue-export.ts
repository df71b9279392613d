import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { z } from 'zod';
import { jsonRows } from './json-rows.ts';

/** An issue or a pull request of an export. */
export interface ExportedIssue {
  number: number;
  isPull: boolean;
  title: string;
  body: string;
}

/** Issues and pull requests by their numbers. They lie where they lay: only where each stands is kept. */
export interface IssueExport {
  /** `host/owner/name` of the repositories that addresses in it name, in small letters. */
  repositories: ReadonlySet<string>;
  /** Number of rows with a number and a title. */
  rows: number;
  read(number: number): Promise<ExportedIssue | null>;
}

const MAX_ROW = 4 * 1024 * 1024;
const MAX_BODY = 8000;
const MAX_REPOSITORIES = 20;

const Row = z.looseObject({
  number: z.number().int().positive(),
  title: z.string(),
  body: z.string().nullish(),
  url: z.string().optional(),
  html_url: z.string().optional(),
  pull_request: z.unknown().optional(),
});

interface Place {
  file: number;
  start: number;
  length: number;
}

const unusable = (detail: string): AssayError => new AssayError('BAD_OPTION', { option: '--issues', detail });

/**
 * Reads an export: every `*.json`, `*.jsonl` and `*.ndjson` of a directory, or one such file, as `gh issue list --json
 * number,title,body,url`, `gh pr list --json …` or the API of a code host give them: arrays of rows, or a row a line.
 * Throws `BAD_OPTION` when there is no such file, or no row that can be used.
 */
export async function openIssueExport(path: string, signal?: AbortSignal): Promise<IssueExport> {
  const files = await filesOf(path);
  const places = new Map<number, Place>();
  const repositories = new Set<string>();
  for (const [file, name] of files.entries())
    for await (const { text, start, length } of jsonRows(name, MAX_ROW)) {
      signal?.throwIfAborted();
      const row = rowOf(text);
      if (!row) continue;
      const repository = repositoryOf(row);
      if (repository !== null && repositories.size < MAX_REPOSITORIES) repositories.add(repository);
      places.set(row.number, { file, start, length });
    }
  if (places.size === 0) throw unusable(`${path} has no row with a number and a title`);
  return {
    repositories,
    rows: places.size,
    read: async (number) => {
      const place = places.get(number);
      return place ? readPlace(files[place.file] ?? '', place) : null;
    },
  };
}

async function filesOf(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw unusable(`${path} is not there`);
  if (found.isFile()) return [path];
  const names = (await readdir(path)).filter((name) => /\.(?:json|jsonl|ndjson)$/i.test(name)).sort();
  if (names.length === 0) throw unusable(`${path} holds no *.json, *.jsonl or *.ndjson`);
  return names.map((name) => join(path, name));
}

function rowOf(text: string): z.infer<typeof Row> | null {
  try {
    return Row.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** The repository of a row, by its address for people or for programs. */
function repositoryOf({ url = '', html_url = '' }: z.infer<typeof Row>): string | null {
  const match =
    /^https?:\/\/(?:www\.|api\.)?([^/]+)\/(?:api\/v3\/)?(?:repos\/)?([^/]+\/[^/]+)\/(?:issues|pulls?)\/\d+/i.exec(
      html_url || url,
    );
  return match ? `${match[1]}/${match[2]}`.toLowerCase() : null;
}

async function readPlace(file: string, { start, length }: Place): Promise<ExportedIssue | null> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, start);
    const row = rowOf(buffer.toString('utf8'));
    if (!row) return null;
    const isPull = (row.pull_request ?? null) !== null || /\/pulls?\/\d+/.test(row.html_url ?? row.url ?? '');
    return { number: row.number, isPull, title: row.title.slice(0, 300), body: (row.body ?? '').slice(0, MAX_BODY) };
  } finally {
    await handle?.close();
  }
}
