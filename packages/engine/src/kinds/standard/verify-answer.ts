import {
  AssayError,
  type Judgement,
  MIN_PASS_SCORE,
  type ReceiptResult,
  type ResultJudgement,
  type TestResult,
  type Verdict,
} from '@assay/protocol';
import { chooseTestProvider, type SandboxProvider } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';
import { digestChange } from '@assay/files/digest-change';
import { judgeSubmission, type Judged } from '@assay/judging/standards/judge-submission';
import { rejudgeResults } from '@assay/judging/standards/rejudge-results';
import type { ModelJudgeOptions } from '@assay/judging/standards/judge-prompt/judge-by-model';
import { invalidVerdict } from '../../verify/invalid-verdict.ts';
import type { OpenStandardTask } from './open-standard-task.ts';

export interface VerifyAnswerOptions {
  /** Runs probes, and test cases in other languages than JavaScript, which has QuickJS. */
  provider: SandboxProvider;
  /** Without it, what a model has to judge is `invalid`. */
  model?: ModelJudgeOptions;
  signal?: AbortSignal;
}

/** A verdict on a standard task, with what it was made from. */
export interface AnswerVerdict {
  verdict: Verdict;
  /** Absent when there was nothing to judge, or nobody to do it. */
  judgement?: Judgement;
  /**
   * Name of the provider that ran the answer, several joined by `+`, `none` where a model read it; the job's, where
   * there was no answer to be run.
   */
  provider: string;
  /** Why nobody could judge it, when that is no matter of luck: trying again would come to the same. */
  missing?: string;
}

type About = Pick<OpenStandardTask, 'task' | 'standard'>;

/**
 * Judges the answer file of a submission by the task's standard: the reward is a hundredth of the score. A submission
 * without the file has failed. Throws what a provider says when it cannot run here.
 */
export async function verifyAnswer(
  open: About,
  submission: ChangeSet,
  options: VerifyAnswerOptions,
): Promise<AnswerVerdict> {
  const { answer } = open.task.meta;
  const file = submission.files.find(({ path }) => path === answer);
  if (!file) return { verdict: missingAnswer(open, submission, options), provider: options.provider.name ?? 'unnamed' };
  try {
    const judged = await judgeSubmission(open.standard, file.content, judgeOptions(answer, options));
    const { judgement } = judged;
    judgement.digests['standard'] = open.task.meta.standard.digest;
    return {
      verdict: verdictOfJudgement(judgement, { task: open.task.meta.digest, submission: digestChange(submission) }),
      judgement,
      provider: providerNames(judged),
    };
  } catch (error) {
    options.signal?.throwIfAborted();
    const missing = whatIsMissing(error);
    if (missing === null && !(AssayError.is(error) && error.kind === 'infrastructure')) throw error;
    const note =
      missing === null
        ? error instanceof Error
          ? error.message
          : String(error)
        : `${missing}. Give --judge-endpoint and --judge-model`;
    return {
      verdict: ungradedAnswer(open, submission, { ...options, note }),
      provider: options.provider.name ?? 'unnamed',
      missing: missing ?? undefined,
    };
  }
}

/** Judges the answer file again, as far as no model and no person has to. Without the file there are no results. */
export async function repeatAnswer(
  { task, standard }: About,
  submission: ChangeSet,
  options: VerifyAnswerOptions,
): Promise<ReceiptResult[]> {
  const { answer } = task.meta;
  const file = submission.files.find(({ path }) => path === answer);
  return file === undefined ? [] : rejudgeResults(standard, file.content, judgeOptions(answer, options));
}

/** Turns a judgement into a verdict. `digests` are those of the bundle and of the submission. */
export function verdictOfJudgement(judgement: Judgement, digests: { task: string; submission: string }): Verdict {
  const { score, passScore, outcome, results, trust, isolation, limits, verifier, note } = judgement;
  const tests = results.flatMap((result) => testsOf(result, passScore));
  return {
    outcome,
    reward: score === null ? null : score / 100,
    components: {
      ...(score === null ? {} : { score }),
      pass_score: passScore,
      cases_passed: tests.filter(({ status }) => status === 'passed').length,
      cases_total: tests.length,
    },
    tests,
    trust,
    isolation,
    limits,
    verifier,
    digests: { ...judgement.digests, ...digests },
    ...(note === undefined ? {} : { note }),
  };
}

/** The verdict when grading an answer broke down, for a reason that it did not cause. */
export function ungradedAnswer(
  { task, standard }: About,
  submission: ChangeSet,
  { provider, note }: Pick<VerifyAnswerOptions, 'provider'> & { note: string },
): Verdict {
  const digests = { task: task.meta.digest, standard: task.meta.standard.digest };
  return invalidVerdict({ verifier: `${standard.type}@1`, provider, submission, digests, note });
}

function missingAnswer(open: About, submission: ChangeSet, { provider }: VerifyAnswerOptions): Verdict {
  const { passScore = MIN_PASS_SCORE } = open.standard;
  const note = `there is no answer: the submission has no ${open.task.meta.answer}`;
  return {
    ...ungradedAnswer(open, submission, { provider, note }),
    outcome: 'fail',
    reward: 0,
    components: { score: 0, pass_score: passScore },
    trust: { level: 'split', reasons: ['nothing was run, as nothing was handed in'] },
  };
}

function judgeOptions(
  submissionName: string,
  { provider, model, signal }: VerifyAnswerOptions,
): Parameters<typeof judgeSubmission>[2] {
  return {
    testProvider: (language) =>
      language === 'javascript' || language === 'typescript' ? chooseTestProvider(language) : Promise.resolve(provider),
    shellProvider: () => Promise.resolve(provider),
    submissionName,
    model,
    signal,
  };
}

const providerNames = ({ providers }: Judged): string => [...new Set(providers)].join('+') || 'none';

/** Who has to judge and is not there, or null when the error is another. */
function whatIsMissing(error: unknown): string | null {
  if (!AssayError.is(error)) return null;
  if (error.code === 'MODEL_MISSING') return 'a model has to judge this';
  return error.code === 'CHECKLIST_UNANSWERED' ? `nobody answers ${error.details['items'] ?? 'its items'}` : null;
}

/** One entry for each case, criterion and item. A criterion passes at the score at which the whole does. */
function testsOf(result: ResultJudgement, passScore: number, above = ''): TestResult[] {
  const id = `${above}${result.id}`;
  switch (result.kind) {
    case 'case':
      return [{ id, status: result.passed ? 'passed' : 'failed', durationMs: result.durationMs }];
    case 'criterion':
      return [
        {
          id,
          status: result.score === null ? 'error' : result.score >= passScore ? 'passed' : 'failed',
          durationMs: 0,
        },
      ];
    case 'item':
      return [{ id, status: result.passed === null ? 'missing' : result.passed ? 'passed' : 'failed', durationMs: 0 }];
    case 'child':
      return result.judgement.results.flatMap((each) => testsOf(each, result.judgement.passScore, `${id}/`));
  }
}
