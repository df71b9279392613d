/** An issue as it stands at its forge, without comments. */
export interface Issue {
  number: number;
  title: string;
  body: string;
  /** ISO 8601; null where it is not known. */
  createdAt: string | null;
}

/** A pull request, or a merge request, whatever forge it is of. */
export interface PullRequest {
  number: number;
  title: string;
  body: string;
  /** ISO 8601; null for one that is open, or closed without a merge. */
  mergedAt: string | null;
  /** The commit with which it was merged, as its forge knows it. History may have been rewritten since. */
  mergeCommit: string | null;
  /** The last of its own commits. */
  headCommit: string | null;
  /** `owner/name` of where it came from; null when that fork is gone. */
  headRepository: string | null;
  /** The branch that it was made for, whatever that is called by now. */
  baseBranch: string | null;
  labels: readonly string[];
  isDraft: boolean;
  /** Null for an account that is gone or suspended. */
  author: string | null;
  /** First lines of its own commits, oldest first; null where they have to be asked for. */
  subjects: readonly string[] | null;
  /** Numbers of issues of the same repository that it closes. */
  closes: readonly number[];
}

/** Where pull requests come from: a forge, or an export. */
export interface PullSource {
  /** Those that were merged and maybe others, newest first as far as the source is in any order. */
  pulls(request: { since?: string; signal?: AbortSignal }): AsyncIterable<PullRequest>;
  /** Null when there is none of that number. */
  pull(number: number, signal?: AbortSignal): Promise<PullRequest | null>;
  /** First lines of the commits of a pull request, oldest first; empty where nobody knows them. */
  subjects(number: number, signal?: AbortSignal): Promise<readonly string[]>;
  /** Null when there is none of that number, or when it is a pull request. */
  issue(number: number, signal?: AbortSignal): Promise<Issue | null>;
  /** Issues that it closes beyond `PullRequest.closes`. */
  closedIssues(pull: PullRequest, signal?: AbortSignal): Promise<readonly Issue[]>;
  /** Numbers of pull requests that may have closed an issue. */
  closersOf(issue: number, signal?: AbortSignal): Promise<readonly number[]>;
}
