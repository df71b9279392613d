import { z } from 'zod';
import { ItemFailure } from './failure.ts';
import { FixCommits } from './order.ts';
import { REJECTION_NAMES } from './rejection.ts';
import { BlindReport, Survivor } from './task.ts';

/** What is told of a candidate beside its end. */
const Marks = z.object({
  /** The pipelines that found it, where several did: that of the entry examined it, and it counts once. */
  foundBy: z.array(z.string()).optional(),
  /** The fix is older than the cut-off date of the run: a model trained until then may have seen it. */
  beforeCutoff: z.literal(true).optional(),
});

/**
 * How one candidate ended. `deferred`: nothing is known about it, as the machine or a service was at fault; it is never
 * remembered as an answer, and the next run tries it again.
 */
export const CandidateEnd = z.discriminatedUnion('outcome', [
  z.object({
    /** Name that people know it by, such as a short commit id or the id of an advisory. Foreign text. */
    candidate: z.string(),
    ...FixCommits.shape,
    ...Marks.shape,
    outcome: z.literal('admitted'),
    /** Directory name of the task. */
    task: z.string(),
  }),
  z.object({
    candidate: z.string(),
    ...FixCommits.shape,
    ...Marks.shape,
    outcome: z.literal('rejected'),
    reason: z.enum(REJECTION_NAMES),
    /** For a person. Foreign text. */
    detail: z.string(),
    /** `weak_tests`: the mutants that its tests let pass. They say what a test is missing. */
    survivors: z.array(Survivor).optional(),
  }),
  z.object({
    candidate: z.string(),
    ...FixCommits.shape,
    ...Marks.shape,
    outcome: z.literal('deferred'),
    ...ItemFailure.pick({ kind: true, code: true }).shape,
    /** For a person. May name places of this machine, so that a dataset's ledger leaves it out. */
    detail: z.string().optional(),
  }),
]);
export type CandidateEnd = z.infer<typeof CandidateEnd>;

/** What is done with a candidate, in this order. `environment` is a part of the first stage that needs it. */
export const MINE_STAGES = [
  'read',
  'build',
  'tests',
  'environment',
  'prove',
  'split',
  'state',
  'write',
  'proof',
] as const;
export type MineStage = (typeof MINE_STAGES)[number];

/** A question to a model and its answer. The key of the service is in neither. */
export const ModelExchange = z.object({
  system: z.string(),
  user: z.string(),
  answer: z.string(),
  stop: z.enum(['end', 'truncated', 'refused']),
  /** The model as the service names it. */
  servedBy: z.string().optional(),
  inputTokens: z.number(),
  outputTokens: z.number(),
});
export type ModelExchange = z.infer<typeof ModelExchange>;

/** How far a candidate came, and what that took. */
export const Examination = z.object({
  /** Where it ended; `proof` for one that was admitted. */
  stage: z.enum(MINE_STAGES),
  /** By the clock, for each stage that was entered. */
  seconds: z.partialRecord(z.enum(MINE_STAGES), z.number()),
  /** What the reason rests on: counts and failures of the runs, and the end of their log. Foreign text, a line each. */
  evidence: z.array(z.string()),
  /** All that a model was asked for it, in order. Absent when none was. */
  exchanges: z.array(ModelExchange).optional(),
});
export type Examination = z.infer<typeof Examination>;

/** A line of `candidates.jsonl`: a candidate's end and how it came to it. */
export const CandidateRecord = z
  .object({
    /** URL without credentials, or `local:<name>`. */
    source: z.string(),
    pipeline: z.string(),
    /** When the run that wrote the line came to it, ISO 8601. */
    at: z.string(),
    /** Whether an earlier run had examined it. */
    recalled: z.boolean(),
    ...Examination.partial().shape,
  })
  .and(CandidateEnd);
export type CandidateRecord = z.infer<typeof CandidateRecord>;

/** Summary of how a pipeline prepared its material before the first candidate was examined. */
export const PipelineNotes = z.object({
  /** One line for a person. */
  text: z.string(),
  counts: z.record(z.string(), z.number()),
  /** One line for each source that could not be read. A line may name paths of this machine. */
  leftOut: z.array(z.string()),
});
export type PipelineNotes = z.infer<typeof PipelineNotes>;

/** One pipeline of one repository, of those that a run was made of. */
export const MinedPart = z.object({
  /** URL without credentials, or `local:<name>`; as it was given where it could not be opened. */
  source: z.string(),
  pipeline: z.string(),
  candidates: z.number().int(),
  admitted: z.number().int(),
  deferred: z.number().int(),
  /** Candidates that this pipeline found too, and another one examined. */
  foundBefore: z.number().int(),
  notes: PipelineNotes.optional(),
  /** Why it was not mined. */
  failure: ItemFailure.optional(),
});
export type MinedPart = z.infer<typeof MinedPart>;

/** The result of `assay mine`. */
export const MineResult = z.object({
  /** Number of candidates that were examined. */
  candidates: z.number().int(),
  admitted: z.number().int(),
  deferred: z.number().int(),
  /** Number of rejections by reason. */
  rejected: z.partialRecord(z.enum(REJECTION_NAMES), z.number().int()),
  /** Every candidate with its end, in the order of their names. */
  ledger: z.array(CandidateEnd),
  /** Directory names of the admitted tasks. */
  tasks: z.array(z.string()),
  /** How often a solver solved the admitted tasks, where it was asked to try. */
  blind: z.array(BlindReport.extend({ task: z.string() })).optional(),
  notes: PipelineNotes.optional(),
  /** Admitted tasks whose fix is older than the cut-off date, where one was given. */
  beforeCutoff: z.number().int().optional(),
  /** Of a run by a file: the directory of the tasks. */
  out: z.string().optional(),
  /** Of a run by a file: repositories and pipelines in its order. */
  parts: z.array(MinedPart).optional(),
  /** The budget was over: candidates that were found and have no end; the next run takes them up. */
  left: z.number().int().optional(),
  elapsedMs: z.number(),
});
export type MineResult = z.infer<typeof MineResult>;

/** `dataset.json`: the ledger of a directory of tasks, one member for each repository and pipeline that filled it. */
export const DatasetLedger = z.object({
  assay: z.literal('dataset'),
  mined: z.array(
    z.object({
      /** URL without credentials, or `local:<name>`. */
      source: z.string(),
      pipeline: z.string(),
      /** By which `beforeCutoff` of the candidates was told, ISO 8601. */
      cutoff: z.string().optional(),
      notes: PipelineNotes.omit({ leftOut: true }).optional(),
      candidates: z.array(CandidateEnd),
    }),
  ),
});
export type DatasetLedger = z.infer<typeof DatasetLedger>;
