import { readMerges, type Merges } from '../../git/merges.ts';
import { readCommit } from '../../git/repository.ts';
import { walkCandidates } from '../../git/walk-candidates.ts';
import { WholeBranches } from '../fixes/whole-branches.ts';
import { closedBy } from '../told/closing.ts';
import { pullOf } from '../told/pull-of.ts';
import type { CollectRequest } from '../pipelines/pipeline.ts';

/** What the history of HEAD says of pull requests. */
export interface History {
  merges: Merges;
  branches: WholeBranches;
  /** Whether a commit is of the history. */
  holds(commit: string): boolean;
  /** The commits that say they brought a pull request, newest first; none of them is a part of another one's merge. */
  byPull: ReadonlyMap<number, readonly string[]>;
  /** The commits that say they close an issue, newest first. */
  closing: ReadonlyMap<number, readonly string[]>;
}

/** A commit of the history, as far as it is about pull requests. */
export interface Told {
  commit: string;
  time: Date;
  /** The pull request that it says it brought, unless it is a part of another one's merge. */
  pull: number | null;
  message: string;
}

export type Lines = Pick<History, 'merges' | 'branches'>;
type Request = Pick<CollectRequest, 'repository' | 'signal'>;

export async function readLines({ repository }: Request): Promise<Lines> {
  const merges = await readMerges(repository);
  return { merges, branches: new WholeBranches(repository, merges) };
}

/** Yields every commit, newest first. */
export async function* walkTold({ repository, signal }: Request, { branches }: Lines): AsyncGenerator<Told> {
  for await (const { commit, isMerge, message } of walkCandidates(repository, { signal, merges: true })) {
    const number = pullOf(message);
    const isPart = number !== null && !isMerge && (await branches.holding(commit)) !== null;
    yield { commit, pull: isPart ? null : number, message, time: (await readCommit(repository, commit)).time };
  }
}

/** Reads the messages of a history. */
export async function readHistory(request: Request, own: string | null): Promise<History> {
  const lines = await readLines(request);
  const [commits, byPull, closing] = [new Set<string>(), new Map<number, string[]>(), new Map<number, string[]>()];
  const add = (map: Map<number, string[]>, number: number, commit: string): void =>
    void (map.get(number)?.push(commit) ?? map.set(number, [commit]));
  for await (const { commit, pull, message } of walkTold(request, lines)) {
    commits.add(commit);
    if (pull !== null) add(byPull, pull, commit);
    for (const issue of closedBy(message, own)) add(closing, issue, commit);
  }
  return { ...lines, holds: (commit) => commits.has(commit), byPull, closing };
}
