import type { Judgement, SealName, TaskReport, Verdict } from '@assay/protocol';
import type { Mount, SandboxProvider } from '@assay/sandbox';
import type { OpenT0 } from '../bundle/open-t0.ts';
import type { ScenarioTask, Task } from '../bundle/task.ts';
import type { ChangeSet } from '@assay/files/change-set';
import type { ModelJudgeOptions } from '@assay/judging/standards/judge-prompt/judge-by-model';
import type { OpenRepositoryOptions, OpenRepositoryTask } from '../verify/open-repository-task.ts';

/**
 * A task made ready for trials, whatever its kind: what the stages have to know of it, and how what is handed in is
 * graded.
 */
export interface OpenTask extends OpenT0 {
  task: Task;
  /** What an agent works with, besides the tree of T0 at `/workspace`. */
  environment: TaskEnvironment;
  /** Null when the bundle carries none. */
  reference: ChangeSet | null;
  /** The one file that counts, below `/workspace`; absent where any may. */
  answer?: string;
  /** What seals, cheats, canaries and package lanes are about; null for everything else. */
  repository: OpenRepositoryTask | null;
  /**
   * Grades a submission. Throws what a provider says when it cannot run here; what breaks around the submission is an
   * `invalid` verdict.
   */
  verify(submission: ChangeSet, options: VerifyOptions): Promise<TaskVerdict>;
  /** The verdict when everything else broke down around a submission: neither 0 nor 1. */
  brokenVerdict(submission: ChangeSet, options: { provider: SandboxProvider; note: string }): Verdict;
  /** Whether the reference passes every time and nothing else does, as far as that can be known. */
  prove(options: ProveOptions): Promise<TaskReport>;
  /** Digest of the code that reaches its verdicts, for receipts. */
  verifierDigest(): Promise<string>;
}

export interface TaskEnvironment {
  mounts(options: { writable: boolean }): Mount[];
  env: Record<string, string>;
  /** A directory that is the root tree in place of this machine's system. */
  root?: string;
}

export interface VerifyOptions {
  provider: SandboxProvider;
  /** Judges what only a model can. */
  model?: ModelJudgeOptions;
  /** Of repository tasks. Default none. */
  unsealed?: ReadonlySet<SealName>;
  signal?: AbortSignal;
}

/** A verdict, and what a receipt or a person has to know besides. */
export interface TaskVerdict {
  verdict: Verdict;
  /** Of standard tasks that could be judged. */
  judgement?: Judgement;
  /** All that the grader found, where a verdict cannot hold it; kept beside it as `grade.json`. */
  grade?: object;
  /** What ran the submission: the name of a provider, several joined by `+`, or `none`. */
  provider: string;
  /** Why nobody could judge it, when trying again would come to the same. */
  missing?: string;
}

export interface ProveOptions {
  /** Repetitions of reference and no-op; 3 is the least that admits. */
  runs: number;
  provider: SandboxProvider;
  signal?: AbortSignal;
  progress?: (text: string) => void;
}

export interface OpenTaskOptions extends OpenRepositoryOptions {
  /** Without it, tasks of scenarios are refused. */
  scenarios?: ScenarioHost;
  /** What is fetched or built for it just now, where that takes a while; for a person. */
  progress?: (text: string) => void;
}

/** What opens tasks of scenarios: their tests are code of a package above this one, which hands itself in. */
export interface ScenarioHost {
  /**
   * Throws `TASK_OUTDATED` when the tests are not those that the task was made for, and what making its environment
   * ready throws.
   */
  open(task: ScenarioTask, options: OpenTaskOptions): Promise<OpenTask>;
  /** As `verifierDigest`, of all code that reaches verdicts on scenarios. */
  verifierDigest(): Promise<string>;
}
