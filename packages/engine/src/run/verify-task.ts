import type { Judgement, SealName, Verdict } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import type { ChangeSet } from '../files/change-set.ts';
import type { ModelJudgeOptions } from '../judge/judge-prompt/judge-by-model.ts';
import { invalidAnswer, verifyAnswer } from '../judge/verify-answer.ts';
import { invalidVerdict, verifySubmission } from '../verify/verify-submission.ts';
import type { OpenTask } from './open-task.ts';

export interface VerifyTaskOptions {
  provider: SandboxProvider;
  /** Judges what only a model can. */
  model?: ModelJudgeOptions;
  /** Of repository tasks. Default none. */
  unsealed?: ReadonlySet<SealName>;
  signal?: AbortSignal;
}

/** A verdict, and what a receipt has to know besides. */
export interface TaskVerdict {
  verdict: Verdict;
  /** Of standard tasks that could be judged. */
  judgement?: Judgement;
  /** What ran the submission: the name of a provider, several joined by `+`, or `none`. */
  provider: string;
  /** Why nobody could judge it, when trying again would come to the same. */
  missing?: string;
}

/** Grades a submission to a task of any kind. Throws as `verifySubmission` and `verifyAnswer` do. */
export async function verifyTask(open: OpenTask, submission: ChangeSet, { provider, model, unsealed = new Set(), signal }: VerifyTaskOptions): Promise<TaskVerdict> {
  const aborted = signal ? { signal } : {};
  if (open.kind === 'standard') return verifyAnswer(open, submission, { provider, ...(model ? { model } : {}), ...aborted });
  return { verdict: await verifySubmission({ ...open, submission, provider, unsealed, ...aborted }), provider: provider.name ?? 'unnamed' };
}

/** The verdict when grading broke down around a submission: neither 0 nor 1. */
export function brokenVerdict(open: OpenTask, submission: ChangeSet, { provider, note }: { provider: SandboxProvider; note: string }): Verdict {
  return open.kind === 'standard' ? invalidAnswer(open, submission, { provider, note }) : invalidVerdict({ task: open.task, submission, provider }, note);
}

/** With one more thing to say about it, before what it says itself. A judgement and the verdict on it say the same. */
export function withNote(graded: TaskVerdict, note: string): TaskVerdict {
  const { verdict, judgement } = graded;
  const joined = [note, verdict.note].filter((text) => text !== undefined).join('; ');
  return { ...graded, verdict: { ...verdict, note: joined }, ...(judgement ? { judgement: { ...judgement, note: joined } } : {}) };
}
