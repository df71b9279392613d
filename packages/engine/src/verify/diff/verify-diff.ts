import { AssayError, type Judgement, type JudgePromptStandard, type Trust, type Verdict } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';
import { digestChange } from '@assay/files/digest-change';
import { readRegularFileBelow } from '@assay/files/read-regular-file';
import { judgeByModel, type ModelJudgeOptions } from '@assay/judging/standards/judge-prompt/judge-by-model';
import { invalidVerdict } from '../invalid-verdict.ts';
import { compareChanges, type Comparison } from './compare-changes.ts';
import { countsIn } from './counts-in.ts';
import type { OpenDiffTask } from './open-diff-task.ts';
import { tokenReader } from './read-tokens.ts';
import { diffTextOf, scoreByProfile } from './score-by-profile.ts';

export interface VerifyDiffOptions {
  /** Runs the parser. */
  provider: SandboxProvider;
  /** Judges where the task says that a model does. */
  model?: ModelJudgeOptions;
  signal?: AbortSignal;
}

export interface DiffVerdict {
  verdict: Verdict;
  judgement?: Judgement;
  /** Why nobody could judge it, when trying again would come to the same. */
  missing?: string;
}

const VERIFIER = 'diff@1';
/** How far a comparison can be believed. */
export const COMPARED: Trust = { level: 'split', reasons: ['texts were compared, and nothing of the submission ran'] };

/**
 * Compares a submission with the reference: 1 for the same alone, 0 for nothing of it. Where the task is judged, a model
 * reads what is neither; without one there is no verdict then.
 */
export async function verifyDiff(
  open: OpenDiffTask,
  submission: ChangeSet,
  options: VerifyDiffOptions,
): Promise<DiffVerdict> {
  const { task, reference, t0Directory, ecosystem } = open;
  const { provider, model, signal } = options;
  const before = (path: string): Buffer | null => readRegularFileBelow(t0Directory, path);
  const counts = countsIn(ecosystem);
  const comparison = await compareChanges({
    reference,
    submission,
    before,
    counts,
    isCode: (path) => ecosystem.codeFiles.test(path),
    readTokens: tokenReader({ ...open, provider, signal }),
  });
  const compared = { comparison, reference, submission: onlyCounted(submission, counts), before };
  const asks = task.meta.judged && isOpen(comparison);
  if (asks && !model)
    return {
      verdict: ungradedDiff(open, submission, {
        provider,
        note: `${UNJUDGED}. Give --judge-endpoint and --judge-model`,
      }),
      missing: UNJUDGED,
    };
  const judgement =
    asks && model ? await judge(open, diffTextOf(compared.submission, before), { ...model, signal }) : null;
  if (judgement?.outcome === 'invalid')
    return {
      verdict: ungradedDiff(open, submission, { provider, note: judgement.note ?? 'the model gave no answer' }),
      judgement,
    };
  const { reward, components } = scoreByProfile(task.meta.profile, compared, judgement && (judgement.score ?? 0) / 100);
  const isJudged = judgement !== null && reward > comparison.score;
  const passes = reward === 1 || (isJudged && judgement.passed);
  const note = noteOf(comparison);
  return {
    verdict: {
      outcome: passes ? 'pass' : 'fail',
      reward,
      components,
      tests: comparison.parts.map(({ path, number, isEqual }) => ({
        id: `${path}#${number}`,
        status: isEqual ? 'passed' : 'failed',
        durationMs: 0,
      })),
      trust: isJudged ? judgement.trust : COMPARED,
      isolation: provider.isolation ?? 'none',
      limits: provider.limits ?? 'partial',
      verifier: VERIFIER,
      digests: { task: task.meta.digest, submission: digestChange(submission), ...judgement?.digests },
      ...(passes || note === null ? {} : { note }),
    },
    ...(judgement && { judgement }),
  };
}

const UNJUDGED = 'a model has to judge what is not the same as the reference';

/** The verdict when grading broke down, for a reason that the submission did not cause. */
export function ungradedDiff(
  { task }: Pick<OpenDiffTask, 'task'>,
  submission: ChangeSet,
  { provider, note }: Pick<VerifyDiffOptions, 'provider'> & { note: string },
): Verdict {
  return invalidVerdict({ verifier: VERIFIER, provider, submission, digests: { task: task.meta.digest }, note });
}

function onlyCounted({ files, deleted }: ChangeSet, counts: (path: string) => boolean): ChangeSet {
  return { files: files.filter(({ path }) => counts(path)), deleted: deleted.filter(counts) };
}

/** Whether the texts leave open what a submission is worth: it is not the reference, nor nothing, and it parses. */
const isOpen = ({ parts, extra, broken }: Comparison): boolean =>
  broken.length === 0 && (extra > 0 || (parts.some(({ isEqual }) => isEqual) && parts.some(({ isEqual }) => !isEqual)));

function noteOf({ parts, extra, broken }: Comparison): string | null {
  if (broken.length > 0) return `${broken.length} files do not parse, such as ${broken[0]}`;
  const missing = parts.filter(({ isEqual }) => !isEqual).length;
  if (missing === 0 && extra === 0) return null;
  return `${missing} of ${parts.length} parts differ from the reference, ${extra} tokens stand beside it`;
}

/** More of the reference is not shown. */
const LONGEST_REFERENCE = 80_000;

async function judge(
  { task, reference, t0Directory }: OpenDiffTask,
  submission: string,
  options: ModelJudgeOptions,
): Promise<Judgement> {
  const known = diffTextOf(reference, (path) => readRegularFileBelow(t0Directory, path));
  if (known.length > LONGEST_REFERENCE)
    throw new AssayError('IMPOSSIBLE', { detail: 'a reference too long to be judged by was admitted' });
  const standard: JudgePromptStandard = {
    type: 'judge_prompt',
    prompt: [
      'A repository was to be changed as this instruction says:',
      task.instruction,
      'This change is known to be right:',
      known,
      'The submission is another change of the same state, as a unified diff. What counts is the behaviour that it gives.' +
        ' How it is written, and how near its text is to the known change, counts nothing: a wrong change in the right' +
        ' place is wrong.',
    ].join('\n\n'),
    criteria: [
      'Users observe everything that the known change gives them.',
      'Users observe nothing else that differs from the state before.',
    ],
  };
  return (await judgeByModel(standard, Buffer.from(submission), options)).judgement;
}
