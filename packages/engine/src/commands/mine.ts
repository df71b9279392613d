import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { AssayError, type MineResult, type OnProgress, type SpecificityPolicy } from '@assay/protocol';
import { requireDataset } from '../mine/dataset.ts';
import { summarise } from '../mine/ledger.ts';
import { mineParts, type MiningPart } from '../mine/mine-parts.ts';
import { pipelineNamed } from '../mine/pipelines/index.ts';
import { DEFAULT_MIN_KILLED } from '../mine/require-strong-tests.ts';
import { tryBlind } from './measure-blind.ts';

/** What holds for a run, whatever it is made of. */
export interface MineSettings {
  /** Where the tasks go: new, empty, or a dataset that `mine` made. */
  out: string;
  /** Most candidates to examine. Default 50. */
  limit?: number;
  /** What becomes of demands of hidden tests beyond the instruction and T0. Default `tell`. */
  specificity?: SpecificityPolicy;
  /** `split`: admit only tasks with a test of the fix that is compared outside and cannot be guessed. */
  require?: 'split';
  /** `package-lane`: agents of the tasks may install what their ecosystem's index had at T0. Default `none`. */
  network?: 'none' | 'package-lane';
  /**
   * Share of small changes of a reference that its hidden tests have to tell, from 0 to 1; with 0 nobody looks. Default
   * {@link DEFAULT_MIN_KILLED}.
   */
  minKilled?: number;
  /** Have the model write hidden tests for mutants which those of a fix let pass. Needs `model`. Default false. */
  strengthen?: boolean;
  /** Candidates at work at once. Default: the number of processors. */
  jobs?: number;
  model?: { name: string; endpoint: string };
  /** Tokens for all that the model is asked about candidates, tries of `blind` aside. Needs `model`. Default: no limit. */
  modelBudget?: number;
  /** Tries of a solver at each admitted task, with the instruction alone. Needs `model`. Default 0. */
  blind?: number;
  provider?: string;
  /**
   * Time for all candidates. When it is over, those under way are let go, and the next run takes up what is left.
   * Default: no limit.
   */
  budgetMs?: number;
  /** ISO 8601. Until when a model was trained: candidates whose fix is older are marked, and counted. */
  cutoff?: string;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

export interface MineOptions extends MineSettings {
  /** Directory of a clone, or a URL. */
  source: string;
  /** Name of one that comes with Assay or was registered. */
  pipeline: string;
  /** The pipeline's own options, by the names of its schema. */
  pipelineOptions?: Readonly<Record<string, unknown>>;
  /** ISO 8601. Only fixes from this date on. */
  since?: string;
  /** ISO 8601. Only fixes from before this date. */
  until?: string;
}

/**
 * Mines a repository's problems into proven tasks. What is wrong with a candidate is in the ledger; so is what the
 * machine was at fault for, which the next run tries again. Every other end is remembered, so that a killed run goes on
 * where it was and a second run answers at once. Throws what the user can mend, and what would end every candidate.
 */
export async function mineRepository(options: MineOptions): Promise<MineResult> {
  const { source, since, until, pipelineOptions = {}, signal } = options;
  const pipeline = pipelineNamed(options.pipeline);
  return mineInto(options, async () => {
    const collect = await pipeline.open(pipelineOptions, signal);
    return [{ source, pipeline, collect, since, until }];
  });
}

/** Mines the parts that `open` makes, after the output was looked at and before anything is cloned or made. */
export async function mineInto(
  options: MineSettings,
  open: () => Promise<MiningPart[]>,
  { goesOn = false }: { goesOn?: boolean } = {},
): Promise<MineResult> {
  const start = performance.now();
  const { limit = 50, specificity = 'tell', minKilled = DEFAULT_MIN_KILLED, cutoff } = options;
  const out = resolve(options.out);
  // Fails on a bad dataset or bad options before anything is cloned or made.
  await requireDataset(out);
  const parts = await open();
  const needy = parts.find(({ pipeline }) => pipeline.needsModel === true && !options.model);
  if (needy)
    throw new AssayError('BAD_OPTION', { option: `--pipeline ${needy.pipeline.name}`, detail: 'it needs --model' });
  const mined = await mineParts(parts, { ...options, out, limit, specificity, minKilled, goesOn });
  const summary = summarise(mined.ends, goesOn ? undefined : mined.parts[0]?.notes);
  const old = mined.ends.filter(({ outcome, beforeCutoff }) => outcome === 'admitted' && beforeCutoff).length;
  return {
    ...summary,
    blind: await tryBlind(out, summary.tasks, options),
    ...(cutoff !== undefined && { beforeCutoff: old }),
    ...(goesOn && { out: options.out, parts: mined.parts }),
    ...(mined.left !== undefined && { left: mined.left }),
    elapsedMs: Math.round(performance.now() - start),
  };
}
