import { z } from 'zod';
import { Judgement } from '../judgement.ts';
import { Verdict } from '../verdict.ts';
import {
  BaxExport,
  BaxPrompt,
  BaxRows,
  BaxSplit,
  CheckReport,
  EvalReport,
  GradedTree,
  SampleGrade,
  ScenarioTaskResult,
} from './bax-results.ts';
import { ErrorDocument } from './error-document.ts';
import { JobAudit, JobResult, RecordedTrial } from './job-results.ts';
import {
  AddedStandard,
  Judgements,
  KeyDescription,
  NewStandard,
  ReceiptReport,
  ShownStandard,
  StandardTaskResult,
  StandardValidation,
} from './judging-results.ts';
import { CandidateRecord, MineResult } from '../mine.ts';
import { CheatsResult, DemoResult, ValidateResult } from './proof-results.ts';
import { ShownTask, SplitTaskResult } from './task-results.ts';
import { FakeModelResult, GatewayResult, Machine, MirrorResult, SelfTestResult } from './service-results.ts';

/** Schemas of the documents that commands print with `--json` on success, by the command's name. */
export const RESULTS = {
  demo: DemoResult,
  doctor: Machine,
  mine: z.union([MineResult, CandidateRecord]),
  validate: ValidateResult,
  run: JobResult,
  show: RecordedTrial,
  audit: JobAudit,
  grade: Verdict,
  judge: z.union([Judgement, Judgements]),
  'standard new': NewStandard,
  'standard validate': StandardValidation,
  'standard show': ShownStandard,
  'standard add': AddedStandard,
  'standard task': StandardTaskResult,
  'bax list': BaxRows,
  'bax prompt': BaxPrompt,
  'bax grade': SampleGrade,
  'bax check': CheckReport,
  'bax eval': z.union([EvalReport, GradedTree]),
  'bax split': BaxSplit,
  'bax export': BaxExport,
  'bax task': ScenarioTaskResult,
  'task show': ShownTask,
  'task split': SplitTaskResult,
  cheats: CheatsResult,
  'receipt verify': ReceiptReport,
  'key new': KeyDescription,
  'key show': KeyDescription,
  gateway: GatewayResult,
  mirror: MirrorResult,
  'fake-model': FakeModelResult,
  test: SelfTestResult,
} as const satisfies Record<string, z.ZodType>;

/** Name of a command that answers with a document: one word, or a group and its member. */
export type ResultName = keyof typeof RESULTS;
/** The document of a command. */
export type ResultOf<Name extends ResultName> = z.infer<(typeof RESULTS)[Name]>;

/**
 * Whether `document` is exactly what the command `name` may print with `--json`: an error, or its result with no key
 * that the schema does not name. Answers with what is wrong, or null. Throws for a name that is no command's.
 */
export function resultProblem(name: string, document: unknown): string | null {
  const schema: z.ZodType | undefined = Object.entries(RESULTS).find(([command]) => command === name)?.[1];
  if (schema === undefined) throw new Error(`no result is declared for the command ${name}`);
  const parsed = z.union([ErrorDocument, schema]).safeParse(document);
  if (!parsed.success) return z.prettifyError(parsed.error);
  const unknown = unnamedKey(document, parsed.data);
  return unknown === null ? null : `the schema does not name ${unknown}`;
}

/** The path of the first key that parsing took away. */
function unnamedKey(value: unknown, parsed: unknown, path = '$'): string | null {
  if (typeof value !== 'object' || value === null || typeof parsed !== 'object' || parsed === null) return null;
  const kept = new Map(Object.entries(parsed));
  for (const [key, item] of Object.entries(value)) {
    if (!kept.has(key)) return `${path}.${key}`;
    const found = unnamedKey(item, kept.get(key), `${path}.${key}`);
    if (found !== null) return found;
  }
  return null;
}
