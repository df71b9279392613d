import { readCommit } from '../../git/repository.ts';
import { runGit } from '../../git/run-git.ts';
import type { PullRequest, PullSource } from '../forges/pull-request.ts';
import type { HostAddress } from '../told/address.ts';
import { pullOf } from '../told/pull-of.ts';
import type { CollectRequest } from '../pipelines/pipeline.ts';
import type { History } from './history.ts';
import { commitOf, isThere, type Merged } from './merged-pulls.ts';
import { nameOf } from './named-addresses.ts';
import type { PullNotes } from './pull-notes.ts';

export interface NamedPlaces {
  history: History;
  notes: PullNotes;
  source: PullSource | null;
}

/** Finds what was asked for by address, in the order in which it was. What is not found is told. */
export async function* namedBy(
  named: readonly HostAddress[],
  request: CollectRequest,
  places: NamedPlaces,
): AsyncGenerator<Merged> {
  const search = new NamedSearch(request, places);
  for (const { repository, thing } of named) {
    request.signal?.throwIfAborted();
    if (thing === null) continue;
    places.notes.read();
    let count = 0;
    for await (const each of search.of(thing)) {
      count += 1;
      yield each;
    }
    if (count === 0) places.notes.leaveOut(`${repository} ${nameOf(thing)}: ${WITHOUT[thing.kind]}`);
  }
}

const WITHOUT = {
  pull: 'it was not merged, or its commits are not in the clone',
  issue: 'no merged pull request and no commit of the history says that it closes it',
  commit: 'it is not in the clone',
} as const;

class NamedSearch {
  readonly #repository: CollectRequest['repository'];
  readonly #signal: AbortSignal | undefined;
  readonly #history: History;
  readonly #source: PullSource | null;

  constructor({ repository, signal }: CollectRequest, { history, source }: NamedPlaces) {
    this.#repository = repository;
    this.#signal = signal;
    this.#history = history;
    this.#source = source;
  }

  async *of(thing: NonNullable<HostAddress['thing']>): AsyncGenerator<Merged> {
    if (thing.kind === 'commit') {
      const commit = await this.#fullName(thing.commit);
      if (commit !== null) yield await this.#ofCommit(commit);
    } else if (thing.kind === 'pull') yield* this.#ofPull(thing.number);
    else yield* this.#ofIssue(thing.number);
  }

  async *#ofPull(number: number, issue?: number): AsyncGenerator<Merged> {
    const pull = (await this.#source?.pull(number, this.#signal)) ?? null;
    const commit = pull ? await this.#placeOf(pull) : this.#history.byPull.get(number)?.[0];
    if (commit === undefined || commit === null || (pull && pull.mergedAt === null)) return;
    yield { name: `#${number}`, number, commit, pull, ...(issue !== undefined && { issue }) };
  }

  async *#ofIssue(issue: number): AsyncGenerator<Merged> {
    let count = 0;
    for (const number of (await this.#source?.closersOf(issue, this.#signal)) ?? [])
      if (await this.#closes(number, issue))
        for await (const each of this.#ofPull(number, issue)) {
          count += 1;
          yield each;
        }
    if (count > 0) return;
    const { closing, branches } = this.#history;
    for (const commit of closing.get(issue) ?? [])
      yield { ...(await this.#ofCommit((await branches.holding(commit)) ?? commit)), issue };
  }

  async #closes(number: number, issue: number): Promise<boolean> {
    const pull = await this.#source?.pull(number, this.#signal);
    if (!pull || pull.mergedAt === null) return false;
    if (pull.closes.includes(issue)) return true;
    const closed = (await this.#source?.closedIssues(pull, this.#signal)) ?? [];
    return closed.some((each) => each.number === issue);
  }

  /** Where it was asked for, another line than that of HEAD serves as well. */
  async #placeOf(pull: PullRequest): Promise<string | null> {
    const known = commitOf(pull, this.#history);
    if (known !== null || pull.mergeCommit === null) return known;
    return (await isThere(this.#repository, pull.mergeCommit)) ? pull.mergeCommit : null;
  }

  async #ofCommit(commit: string): Promise<Merged> {
    const number = pullOf((await readCommit(this.#repository, commit)).message);
    return { name: number === null ? commit.slice(0, 10) : `#${number}`, number, commit, pull: null };
  }

  async #fullName(commit: string): Promise<string | null> {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{commit}`];
    const answer = await runGit(this.#repository.gitDirectory, args, { exitCodes: [0, 1, 128] });
    const full = answer.toString('latin1').trim();
    return /^[0-9a-f]{40}$/.test(full) && (await isThere(this.#repository, full)) ? full : null;
  }
}
