import { readFile } from 'node:fs/promises';
import { AssayError } from '@assay/protocol';
import { readCommit } from '../../../git/repository.ts';
import { runGit } from '../../../git/run-git.ts';
import type { PullRequest, PullSource } from '../../forges/pull-request.ts';
import { readAddress, type HostAddress } from '../../told/address.ts';
import { pullOf } from '../../told/pull-of.ts';
import type { CollectRequest } from '../pipeline.ts';
import type { History } from './history.ts';
import { commitOf, isThere, type Merged } from './merged-pulls.ts';
import type { PullNotes } from './pull-notes.ts';

const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads the addresses of a file, one a line; empty lines and those that begin with `#` say nothing. Throws `BAD_OPTION`
 * for a line that is no address of a pull request, an issue or a commit.
 */
export async function readNamed(path: string, signal?: AbortSignal): Promise<HostAddress[]> {
  const unusable = (detail: string): AssayError => new AssayError('BAD_OPTION', { option: '--from-urls', detail });
  const content = await readFile(path, { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw unusable(
      `${path} cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown'})`,
    );
  });
  if (content.length > MAX_BYTES) throw unusable(`${path} is larger than ${MAX_BYTES} bytes`);
  const found = new Map<string, HostAddress>();
  for (const [index, line] of content.toString('utf8').split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const address = readAddress(line);
    if (!address?.thing)
      throw unusable(`line ${index + 1} of ${path} is no address of a pull request, an issue or a commit`);
    found.set(JSON.stringify(address), address);
  }
  if (found.size === 0) throw unusable(`${path} names nothing`);
  return [...found.values()];
}

/**
 * Leaves out and tells what is of another repository than one of `own`, its addresses. Throws `BAD_OPTION` when nothing is
 * left, and for numbers of several repositories when nobody knows which of them is mined.
 */
export function namedHere(named: readonly HostAddress[], own: ReadonlySet<string>, notes: PullNotes): HostAddress[] {
  const unusable = (detail: string): AssayError => new AssayError('BAD_OPTION', { option: '--from-urls', detail });
  const places = new Set(named.filter(({ thing }) => thing?.kind !== 'commit').map(({ repository }) => repository));
  if (own.size === 0) {
    if (places.size < 2) return [...named];
    throw unusable(`it names ${[...places].slice(0, 3).join(', ')}, and which of them is mined is not known`);
  }
  const here = named.filter(({ repository }) => own.has(repository));
  const [other] = places;
  if (here.length === 0) throw unusable(`it names ${other ?? named[0]?.repository}, and ${[...own][0]} is mined`);
  for (const { repository, thing } of named)
    if (!own.has(repository)) notes.leaveOut(`${repository} ${nameOf(thing)}: of another repository`);
  return here;
}

function nameOf(thing: HostAddress['thing']): string {
  if (thing === null) return '';
  if (thing.kind === 'commit') return thing.commit.slice(0, 10);
  return `${thing.kind === 'issue' ? 'issue ' : ''}#${thing.number}`;
}

export interface NamedSearch {
  history: History;
  notes: PullNotes;
  source: PullSource | null;
}

/** Finds what was asked for by address, in the order in which it was. What is not found is told. */
export async function* namedBy(
  named: readonly HostAddress[],
  { repository, signal }: CollectRequest,
  search: NamedSearch,
): AsyncGenerator<Merged> {
  const { history, notes, source } = search;
  for (const { repository: place, thing } of named) {
    signal?.throwIfAborted();
    if (thing === null) continue;
    notes.read();
    let count = 0;
    for await (const each of lookFor(thing)) {
      count += 1;
      yield each;
    }
    if (count === 0) notes.leaveOut(`${place} ${nameOf(thing)}: ${WITHOUT[thing.kind]}`);
  }

  async function* lookFor(thing: NonNullable<HostAddress['thing']>): AsyncGenerator<Merged> {
    if (thing.kind === 'commit') {
      const commit = await fullName(thing.commit);
      if (commit !== null) yield await ofCommit(commit);
    } else if (thing.kind === 'pull') yield* ofPull(thing.number);
    else yield* ofIssue(thing.number);
  }

  async function* ofPull(number: number, issue?: number): AsyncGenerator<Merged> {
    const pull = source ? await source.pull(number, signal) : null;
    const commit = pull ? await placeOf(pull) : history.byPull.get(number)?.[0];
    if (commit === undefined || commit === null || (pull && pull.mergedAt === null)) return;
    yield { name: `#${number}`, number, commit, pull, ...(issue !== undefined && { issue }) };
  }

  /** Where it was asked for, another line than that of HEAD serves as well. */
  async function placeOf(pull: PullRequest): Promise<string | null> {
    const known = commitOf(pull, history);
    if (known !== null || pull.mergeCommit === null) return known;
    return (await isThere(repository, pull.mergeCommit)) ? pull.mergeCommit : null;
  }

  async function* ofIssue(issue: number): AsyncGenerator<Merged> {
    const pulls = source ? await source.closersOf(issue, signal) : [];
    let count = 0;
    for (const number of pulls)
      if (await closes(number, issue))
        for await (const each of ofPull(number, issue)) {
          count += 1;
          yield each;
        }
    if (count > 0) return;
    for (const commit of history.closing.get(issue) ?? [])
      yield { ...(await ofCommit((await history.branches.holding(commit)) ?? commit)), issue };
  }

  async function closes(number: number, issue: number): Promise<boolean> {
    const pull = (await source?.pull(number, signal)) ?? null;
    if (!pull || !source || pull.mergedAt === null) return false;
    return (
      pull.closes.includes(issue) || (await source.closedIssues(pull, signal)).some((each) => each.number === issue)
    );
  }

  async function ofCommit(commit: string): Promise<Merged> {
    const number = pullOf((await readCommit(repository, commit)).message);
    return { name: number === null ? commit.slice(0, 10) : `#${number}`, number, commit, pull: null };
  }

  async function fullName(commit: string): Promise<string | null> {
    const revision = ['--verify', '--quiet', '--end-of-options', `${commit}^{commit}`];
    const answer = await runGit(repository.gitDirectory, ['rev-parse', ...revision], { exitCodes: [0, 1, 128] });
    const full = answer.toString('latin1').trim();
    return /^[0-9a-f]{40}$/.test(full) && (await isThere(repository, full)) ? full : null;
  }
}

const WITHOUT = {
  pull: 'it was not merged, or its commits are not in the clone',
  issue: 'no merged pull request and no commit of the history says that it closes it',
  commit: 'it is not in the clone',
} as const;
