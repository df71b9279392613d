import type { Proof, RejectionReason, Trial, Verdict } from '@assay/protocol';

/** What the engine reports while it works. `item` is whatever is being worked on: a candidate, a task, a trial, a cheat. */
export interface RunEvent {
  type: 'item-start' | 'item-progress' | 'item-end' | 'note';
  item: string;
  /** The phase that the item is in, or how it ended. Foreign text. */
  text?: string;
  ok?: boolean;
  /** Items done so far, and in all when that is known. */
  done?: number;
  total?: number;
}

interface Watched {
  provider?: string;
  signal: AbortSignal;
  onEvent: (event: RunEvent) => void;
}

export interface MineResult {
  candidates: number;
  admitted: number;
  rejected: Partial<Record<RejectionReason, number>>;
  /** One candidate for each reason, in words. */
  examples: Partial<Record<RejectionReason, string>>;
  tasks: string[];
  elapsedMs: number;
}

export interface ValidatedTask extends Proof {
  id: string;
  leaks: unknown[];
  admitted: boolean;
  reasons: string[];
}

export interface JobResult {
  job: string;
  directory: string;
  trials: Array<Pick<Trial, 'task' | 'agent' | 'attempt' | 'outcome' | 'reward' | 'trust' | 'isolation' | 'durationMs'> & { note?: string | undefined }>;
  summary: { trials: number; passed: number; invalid: number; passRate: number | null; ci95: [number, number] | null };
}

export interface CheatResult {
  id: string;
  title: string;
  group: string;
  sealed: { reward: number | null; trust: Verdict['trust'] | null };
  unsealed: { reward: number | null };
  /** With every seal on it did not succeed. */
  blocked: boolean;
  /** With its one seal off it did succeed. */
  control: boolean;
  /** Known to succeed still; stands in docs/threat-model.md. */
  open: boolean;
}

export interface DemoResult {
  task: string;
  proof: Proof;
  trials: Array<{ agent: string; sealed: boolean; outcome: Verdict['outcome']; reward: number | null }>;
  elapsedMs: number;
}

interface EngineModules {
  'mine/mine-repository': {
    mineRepository(options: Watched & { source: string; pipeline: string; out: string; limit?: number; since?: Date; jobs?: number; model?: { name: string; endpoint: string } }): Promise<MineResult>;
  };
  'run/validate-tasks': { validateTasks(options: Watched & { path: string; runs: number }): Promise<{ tasks: ValidatedTask[] }> };
  'run/run-job': {
    runJob(options: Watched & { path: string; agent: string; agentCommand?: string; attempts: number; parallel: number; timeoutSec?: number; unseal: string[]; out?: string; resume: boolean }): Promise<JobResult>;
  };
  'run/grade-submission': { gradeSubmission(options: { task: string; submission: string; provider?: string; signal: AbortSignal }): Promise<Verdict> };
  'run/run-cheats': { runCheats(options: Watched & { task: string; ids?: string[] }): Promise<{ cheats: CheatResult[] }> };
  'run/demo': { runDemo(options: Watched): Promise<DemoResult> };
}

/** A module of the engine, by its path. */
export async function loadEngine<Name extends keyof EngineModules>(name: Name): Promise<EngineModules[Name]> {
  return import(`@assay/engine/${name}`);
}
