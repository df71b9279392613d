import type { Issue, PullRequest } from './pull-request.ts';

/** What `--forge-kind` takes. */
export const FORGE_KINDS = ['github', 'gitlab', 'gitea'] as const;
export type ForgeKind = (typeof FORGE_KINDS)[number];

/**
 * A kind of forge: where its API has what, and how that reads. It starts no requests itself, and its readers serve
 * exports as well. They answer null for a row that is no such thing.
 */
export interface Forge {
  readonly kind: ForgeKind;
  /** Hosts that are of this kind without asking, and the variables in which their users keep tokens, best first. */
  readonly homes: Readonly<Record<string, readonly string[]>>;
  /** Path of the API for one that a user hosts, such as `/api/v4`. */
  readonly root: string;
  /** Path below it that tells the kind, and whether an answer does. */
  readonly probe: {
    path: string;
    isKind(status: number, body: unknown, headers: Readonly<Record<string, string>>): boolean;
  };
  /** Root of the API for a host, where it lies elsewhere. */
  rootOf?(host: string): string | null;
  headers(token: string | null): Record<string, string>;
  /** Paths below the root for a project, `owner/name`. Lists give their first page. */
  paths(project: string): ForgePaths;
  /** Reads a pull request. `own` is `host/owner/name`, where the row does not name it. */
  readPull(row: unknown, own: string | null): PullRequest | null;
  readIssue(row: unknown): Issue | null;
  /** First line of a commit of a pull request. */
  readSubject(row: unknown): string | null;
  /** Number of a pull request that may have closed an issue. */
  readCloser(row: unknown): number | null;
  /** The order in which it lists the commits of a pull request. */
  readonly commitOrder: 'oldest first' | 'newest first';
}

export interface ForgePaths {
  /** Merged pull requests, or closed ones where nothing tells them apart; those that changed last come first. */
  pulls(since: string | undefined): string;
  pull(number: number): string;
  commits(number: number): string;
  issue(number: number): string;
  /** Issues that a pull request closes, where the forge says so; else null, and its text tells. */
  closedIssues(number: number): string | null;
  /** Rows of `readCloser`; null where the forge does not say. */
  closers(issue: number): string | null;
}
