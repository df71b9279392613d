import { choreOf } from '../../harden/chore.ts';
import { sumsUp } from '../../harden/sums-up.ts';
import { tellsProblem } from '../../harden/tells-problem.ts';
import type { ChangedFile } from '../../git/changed-files.ts';
import { readCommit, type Repository } from '../../git/repository.ts';
import { Rejection, type SourceText } from '../candidate.ts';
import { mergeTitle } from '../told/merges.ts';
import { toldBeside } from '../told/told-beside.ts';

export interface ToldCommit {
  message: string;
  /** Messages of further commits. */
  others?: readonly string[];
  /** Whether the message is of all commits together. */
  isWhole?: boolean;
  files: readonly ChangedFile[];
  /** The merge that brought it. */
  merge?: string;
  /** Issues and pull requests that belong to it. */
  issues?: readonly SourceText[];
}

/** As many further messages are a diary of the work, which a text that tells the problem stands for. */
const DIARY = 2;

const subjectOf = (message: string): string => message.trim().split('\n', 1)[0]?.slice(0, 80) ?? '';

const tellsOutcome = (text: string): boolean => {
  const [title = '', ...body] = text.trim().split('\n');
  return tellsProblem(title, body.join('\n').trim()).outcome;
};

/**
 * Collects what is told of a commit, best first: issues, its message, pull requests, what it says to users, the title of
 * its merge. Throws `chore` for a commit that says it changes nothing which a user observes, and `thin_statement` for one
 * that says it is several changes, where nothing else tells them.
 */
export async function tellCommit(
  repository: Repository,
  { message, others = [], isWhole = false, files, merge, issues = [] }: ToldCommit,
): Promise<SourceText[]> {
  const chore = choreOf(message);
  const reject = (kind: string): Rejection => new Rejection('chore', `${kind}: ${subjectOf(message)}`);
  if (chore?.certain) throw reject(chore.kind);
  const beside = await toldBeside(repository, files);
  const noticed = ofThis(
    message,
    beside.filter(({ text }) => choreOf(text) === null),
  );
  if (chore && noticed.length === 0 && issues.length === 0) throw reject(chore.kind);
  if (sumsUp(message) && noticed.length === 0 && issues.length === 0)
    throw new Rejection('thin_statement', `the message sums up several changes: ${subjectOf(message)}`);
  const whole = [...issues, ...noticed].map(({ text }) => text);
  const isDiary = others.length >= DIARY && (isWhole ? [message, ...whole] : whole).some(tellsOutcome);
  const messages = [...(chore ? [] : [message]), ...(isDiary ? [] : others)];
  const title = merge === undefined ? null : mergeTitle((await readCommit(repository, merge)).message);
  return [
    ...issues.filter(({ source }) => source === 'issue'),
    ...messages.map((text) => ({ source: 'message' as const, text })),
    ...issues.filter(({ source }) => source !== 'issue'),
    ...(chore
      ? noticed
      : ofThis(
          message,
          beside.filter(({ text }) => !choreOf(text)?.certain),
        )),
    ...(title === null || choreOf(title) ? [] : [{ source: 'merge title' as const, text: title }]),
  ];
}

/** With as many entries of a changelog, some are of other changes. */
const MANY = 3;

/** Leaves of many entries those that have a word in common with a message which tells its problem itself. */
function ofThis(message: string, beside: readonly SourceText[]): SourceText[] {
  if (beside.filter(({ source }) => source === 'changelog').length < MANY || !tellsOutcome(message)) return [...beside];
  const own = wordsOf(message);
  return beside.filter(
    ({ source, text }) => source !== 'changelog' || [...wordsOf(text)].some((word) => own.has(word)),
  );
}

const COMMON =
  /^(?:add(?:ed|s)?|fix(?:ed|es)?|support|when|with|from|that|this|have|been|will|which|only|also|longer|using|allow|type|into|more|should|does)$/;

const wordsOf = (text: string): Set<string> =>
  new Set((text.toLowerCase().match(/[a-z_][\w]{3,}/g) ?? []).filter((word) => !COMMON.test(word)));
