import type {
  AlternateReport,
  EnvironmentSpec,
  Judgement,
  ReceiptResult,
  SealName,
  TaskReport,
  Verdict,
} from '@assay/protocol';
import type { Mount, SandboxProvider } from '@assay/sandbox';
import type { OpenT0 } from '../bundle/open-t0.ts';
import type { ScenarioTask, Task } from '../bundle/task.ts';
import type { ChangeSet } from '@assay/files/change-set';
import type { ModelJudgeOptions } from '@assay/judging/standards/judge-prompt/judge-by-model';
import type { MadeCanary } from '../canaries/make-canaries.ts';
import type { MutantOptions } from '../verify/mutants/run-mutants.ts';
import type { OpenRepositoryOptions } from '../verify/open-repository-task.ts';
import type { TaskAttacks } from './scene.ts';

/**
 * A task made ready for trials, whatever its kind. The stages of a trial know tasks by this alone: a kind brings the
 * optional members that it has, and nobody asks which kind it is.
 */
export interface OpenTask extends OpenT0 {
  task: Task;
  /** The toolchain and packages that an agent works with, besides the tree of T0 at `/workspace`. */
  environment: TaskEnvironment;
  /** Null when the bundle carries none. */
  reference: ChangeSet | null;
  /** The one file that counts, below `/workspace`; absent where any may. */
  answer?: string;
  /** Absent where no cheat can run and no seal can be taken off. */
  attacks?: TaskAttacks;
  /** The packages that agents may install; absent where they get no package lane. */
  packages?: OfferedPackages;
  /** Makes new wrong fixes to plant in the agent's sandbox; absent where none are planted. */
  makeCanaries?(): Promise<MadeCanary[]>;
  /**
   * Grades a submission. Throws what a provider says when it cannot run here; what breaks around the submission is an
   * `invalid` verdict.
   */
  verify(submission: ChangeSet, options: VerifyOptions): Promise<TaskVerdict>;
  /**
   * Judges again what needs neither a model nor a person, for receipts; absent where a verdict can be repeated as a
   * whole.
   */
  repeat?(submission: ChangeSet, options: Pick<VerifyOptions, 'provider' | 'signal'>): Promise<ReceiptResult[]>;
  /** Returns the verdict for a submission that could not be graded: neither 0 nor 1. */
  brokenVerdict(submission: ChangeSet, options: { provider: SandboxProvider; note: string }): Verdict;
  /** Tells why tests fail a submission; absent where the verdict says all there is. */
  explain?(
    submission: ChangeSet,
    verdict: Verdict,
    options: Pick<VerifyOptions, 'provider' | 'signal'>,
  ): Promise<Pick<AlternateReport, 'demands' | 'log'>>;
  /** Checks, as far as possible, that the reference passes every time and nothing else does. */
  prove(options: ProveOptions): Promise<TaskReport>;
  /** Digest of the code that reaches its verdicts, for receipts. */
  verifierDigest(): Promise<string>;
}

/** Content of a package lane: the index of an ecosystem as of T0, without the project itself. */
export interface OfferedPackages {
  environment: Pick<EnvironmentSpec, 'ecosystem' | 'excluded'>;
  /** ISO 8601. */
  t0: string;
}

export interface TaskEnvironment {
  mounts(options: { writable: boolean }): Mount[];
  env: Record<string, string>;
  /** A directory that is the root tree in place of this machine's system. */
  root?: string;
}

export interface VerifyOptions {
  provider: SandboxProvider;
  /** Judges where only a model can. */
  model?: ModelJudgeOptions;
  /** Seals that are off; only where the task has `attacks`. Default: none. */
  unsealed?: ReadonlySet<SealName>;
  signal?: AbortSignal;
}

/** A verdict, with further facts for its receipt and for people. */
export interface TaskVerdict {
  verdict: Verdict;
  /** The judgement that the verdict follows from, where there was one. */
  judgement?: Judgement;
  /** Everything the grader found, where the verdict has no room for it; recorded as `grade.json`. */
  grade?: object;
  /** Name of the provider that ran the submission; several are joined by `+`, and `none` stands for no run at all. */
  provider: string;
  /** Why nobody could judge it, when trying again would come to the same. */
  missing?: string;
}

export interface ProveOptions {
  /** Repetitions of reference and no-op; 3 is the least that admits. */
  runs: number;
  provider: SandboxProvider;
  /** Try the tests with mutants of the reference, where the kind has any. Default: none. */
  mutants?: MutantOptions;
  signal?: AbortSignal;
  progress?: (text: string) => void;
}

export interface OpenTaskOptions extends OpenRepositoryOptions {
  /** Without it, tasks of scenarios are refused. */
  scenarios?: ScenarioHost;
  /** Gets told, for a person, what is being fetched or built, where that takes a while. */
  progress?: (text: string) => void;
}

/** Opens scenario tasks. Their tests are code of a package above this one, which passes itself in. */
export interface ScenarioHost {
  /**
   * Throws `TASK_OUTDATED` when the tests are not those that the task was made for, and what making its environment
   * ready throws.
   */
  open(task: ScenarioTask, options: OpenTaskOptions): Promise<OpenTask>;
  /** Digest of all code that reaches verdicts on scenarios. */
  verifierDigest(): Promise<string>;
}
