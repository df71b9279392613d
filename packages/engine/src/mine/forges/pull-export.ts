import { AssayError } from '@assay/protocol';
import { z } from 'zod';
import { readAddress } from '../told/address.ts';
import { openExport } from '../told/export-rows.ts';
import { FORGES } from './index.ts';
import type { Issue, PullRequest, PullSource } from './pull-request.ts';
import { RowIndex } from './row-index.ts';

/** Pull requests of an export, with the issues that it holds. They lie where they lay: only where each stands is kept. */
export interface PullExport extends PullSource {
  /** `host/owner/name` of the repositories that addresses in it name, in small letters. */
  repositories: ReadonlySet<string>;
}

const MAX_REPOSITORIES = 20;
const Addressed = z.looseObject({
  url: z.string().catch(''),
  html_url: z.string().catch(''),
  web_url: z.string().catch(''),
});

/**
 * Reads an export of pull requests, and of issues if there are any beside them: rows as `gh pr list --json …`, `glab mr
 * list --output json` or the API of a forge give them. Throws `BAD_OPTION` when there is no such file, or no pull request
 * in it.
 */
export async function openPullExport(path: string, signal?: AbortSignal): Promise<PullExport> {
  const option = '--pulls';
  const rows = await openExport(path, option);
  const [pulls, issues] = [new RowIndex(), new RowIndex()];
  // A pull request and an issue that it closes, at the same place of both.
  const closes: { pulls: number[]; issues: number[] } = { pulls: [], issues: [] };
  const repositories = new Set<string>();
  for await (const { row, place } of rows.each(signal)) {
    const own = repositoryOf(row);
    if (own !== null && repositories.size < MAX_REPOSITORIES) repositories.add(own);
    const pull = pullOf(row);
    if (pull) {
      pulls.add(pull.number, place, pull.mergedAt === null ? 0 : Date.parse(pull.mergedAt));
      for (const issue of pull.closes) {
        closes.pulls.push(pull.number);
        closes.issues.push(issue);
      }
      continue;
    }
    const issue = issueOf(row);
    if (issue) issues.add(issue.number, place);
  }
  if (pulls.size === 0)
    throw new AssayError('BAD_OPTION', {
      option,
      detail: `${path} has no pull request: rows with a number and a title, and when they were merged`,
    });
  const pull = async (number: number): Promise<PullRequest | null> => {
    const place = pulls.at(number);
    return place ? pullOf(await rows.at(place)) : null;
  };
  return {
    repositories,
    pull,
    async *pulls() {
      for (const number of pulls.newestFirst()) {
        const found = await pull(number);
        if (found) yield found;
      }
    },
    subjects: async () => [],
    issue: async (number) => {
      const place = issues.at(number);
      return place ? issueOf(await rows.at(place)) : null;
    },
    closedIssues: async () => [],
    closersOf: async (issue) => [...new Set(closes.pulls.filter((_, index) => closes.issues[index] === issue))],
  };
}

function pullOf(row: unknown): PullRequest | null {
  const own = repositoryOf(row);
  for (const forge of FORGES) {
    const pull = forge.readPull(row, own);
    if (pull) return pull;
  }
  return null;
}

function issueOf(row: unknown): Issue | null {
  for (const forge of FORGES) {
    const issue = forge.readIssue(row);
    if (issue) return issue;
  }
  return null;
}

/** The repository of a row, by its address for people or for programs. */
function repositoryOf(row: unknown): string | null {
  const { html_url = '', web_url = '', url = '' } = Addressed.safeParse(row).data ?? {};
  return readAddress(html_url || web_url || url)?.repository ?? null;
}
