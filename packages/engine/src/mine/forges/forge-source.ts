import { z } from 'zod';
import type { ForgeClient } from './forge-client.ts';
import type { Forge } from './forge.ts';
import type { PullRequest, PullSource } from './pull-request.ts';

/** A pull request has no more commits than this that are looked at. */
const MAX_COMMITS = 100;
const Updated = z.looseObject({ updated_at: z.string() });

export interface ForgeProject {
  forge: Forge;
  client: ForgeClient;
  /** `owner/name`. */
  project: string;
  /** `host/owner/name` in small letters. */
  own: string;
}

/** The pull requests of a forge. Each is asked for when it is needed. */
export function forgeSource({ forge, client, project, own }: ForgeProject): PullSource {
  const paths = forge.paths(project);
  const collect = async <T>(path: string, read: (row: unknown) => T | null, signal?: AbortSignal): Promise<T[]> => {
    const found: T[] = [];
    for await (const row of client.list(path, signal)) {
      const value = read(row);
      if (value !== null) found.push(value);
    }
    return found;
  };
  return {
    async *pulls({ since, signal }): AsyncGenerator<PullRequest> {
      const seen = new Set<number>();
      for await (const row of client.list(paths.pulls(since), signal)) {
        const updated = Updated.safeParse(row).data?.updated_at;
        if (since !== undefined && updated !== undefined && Date.parse(updated) < Date.parse(since)) return;
        const pull = forge.readPull(row, own);
        // One that changes while pages are read moves to another page.
        if (!pull || seen.has(pull.number)) continue;
        seen.add(pull.number);
        yield pull;
      }
    },
    pull: async (number, signal) => forge.readPull(await client.read(paths.pull(number), signal), own),
    async subjects(number, signal) {
      const found: string[] = [];
      for await (const row of client.list(paths.commits(number), signal)) {
        const subject = forge.readSubject(row);
        if (subject !== null) found.push(subject);
        if (found.length > MAX_COMMITS) return [];
      }
      return forge.commitOrder === 'newest first' ? found.toReversed() : found;
    },
    issue: async (number, signal) => forge.readIssue(await client.read(paths.issue(number), signal)),
    closedIssues: async ({ number }, signal) => {
      const path = paths.closedIssues(number);
      return path === null ? [] : collect(path, (row) => forge.readIssue(row), signal);
    },
    closersOf: async (issue, signal) => {
      const path = paths.closers(issue);
      if (path === null || (await client.read(paths.issue(issue), signal)) === null) return [];
      return [...new Set(await collect(path, (row) => forge.readCloser(row), signal))];
    },
  };
}
