import { AssayError } from '@assay/protocol';
import { z } from 'zod';
import { readAddress } from './address.ts';
import { openExport, type Place } from './export-rows.ts';

/** An issue or a pull request of an export. */
export interface ExportedIssue {
  number: number;
  isPull: boolean;
  title: string;
  body: string;
}

/** The option of every pipeline that joins an export by the numbers in messages. */
export const ISSUES_OPTION = z
  .string()
  .optional()
  .describe('an export of issues and pull requests (JSON or JSON Lines), joined by #N in messages')
  .meta({ value: 'DIR|FILE' });

/** Issues and pull requests by their numbers. They lie where they lay: only where each stands is kept. */
export interface IssueExport {
  /** `host/owner/name` of the repositories that addresses in it name, in small letters. */
  repositories: ReadonlySet<string>;
  /** Number of rows with a number and a title. */
  rows: number;
  read(number: number): Promise<ExportedIssue | null>;
}

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

/**
 * Reads an export of rows as `gh issue list --json number,title,body,url`, `gh pr list --json …` or the API of a code
 * host give them. Throws `BAD_OPTION` when there is no such file, or no row that can be used.
 */
export async function openIssueExport(path: string, signal?: AbortSignal): Promise<IssueExport> {
  const rows = await openExport(path, '--issues');
  const places = new Map<number, Place>();
  const repositories = new Set<string>();
  for await (const { row: found, place } of rows.each(signal)) {
    const row = Row.safeParse(found).data;
    if (!row) continue;
    const repository = readAddress(addressOf(row))?.repository;
    if (repository !== undefined && repositories.size < MAX_REPOSITORIES) repositories.add(repository);
    places.set(row.number, place);
  }
  if (places.size === 0)
    throw new AssayError('BAD_OPTION', { option: '--issues', detail: `${path} has no row with a number and a title` });
  return {
    repositories,
    rows: places.size,
    read: async (number) => {
      const place = places.get(number);
      const row = place && Row.safeParse(await rows.at(place)).data;
      if (!row) return null;
      const isPull = (row.pull_request ?? null) !== null || readAddress(addressOf(row))?.thing?.kind === 'pull';
      return { number: row.number, isPull, title: row.title.slice(0, 300), body: (row.body ?? '').slice(0, MAX_BODY) };
    },
  };
}

/** The address of a row, for people or for programs. */
const addressOf = ({ url = '', html_url = '' }: z.infer<typeof Row>): string => html_url || url;
