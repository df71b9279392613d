/** Checked against the declarations of the built packages, as a user's program would be. */
import type {
  definePipeline,
  gradeSubmission,
  makeStandardTask,
  mineRepository,
  registerAgent,
  registerEcosystem,
  registerPipeline,
  runCheats,
  runJob,
  validateTasks,
  verifyReceipt,
  Agent,
  Ecosystem,
  Found,
  Pipeline,
  ReadContext,
} from '@assay/engine';
import type { SCENARIOS, scenarioHost } from '@assay/bax';
import type { checkReceipt, judgeByStandard } from '@assay/judging';
import type { openModelLane, openPackageLane } from '@assay/lanes';
import type { AssayError, CandidateOrder, Outcome, Verdict } from '@assay/protocol';
import type { registerProvider, SandboxProvider } from '@assay/sandbox';
import type { runCli } from '@assay/server';

type IsAny<T> = 0 extends 1 & T ? true : false;
type Same<A, B> = IsAny<A> extends true ? false : [A, B] extends [B, A] ? true : false;
type Answer<F extends (...given: never[]) => unknown> = Awaited<ReturnType<F>>;
type Asked<F extends (...given: never[]) => unknown> = Parameters<F>[0];

/** Each member compiles only while it is `true`; `any` in place of a type would be told. */
export interface Surface {
  grade: Same<Answer<typeof gradeSubmission>, Verdict>;
  graded: Same<Verdict['outcome'], Outcome>;
  mined: Same<Answer<typeof mineRepository>['admitted'], number>;
  minedFrom: Same<Asked<typeof mineRepository>['source'], string>;
  ran: Same<Answer<typeof runJob>['summary']['passed'], number>;
  agentByName: Same<Asked<typeof runJob>['agent'], string>;
  validated: Same<Answer<typeof validateTasks>['tasks'][number]['admitted'], boolean>;
  cheats: Same<Asked<typeof runCheats>['provider'], string | undefined>;
  agent: Same<Asked<typeof registerAgent>, Agent>;
  ecosystem: Same<Asked<typeof registerEcosystem>, Ecosystem>;
  pipeline: Same<Asked<typeof registerPipeline>, Pipeline>;
  foundIsData: Same<keyof Found, 'label' | 'base' | 'commit' | 'brought' | 'tests' | 'data'>;
  read: Same<Parameters<Pipeline['read']>, [data: unknown, context: ReadContext]>;
  defined: Same<ReturnType<typeof definePipeline>, Pipeline>;
  order: Same<CandidateOrder['kind'], 'candidate'>;
  provider: Asked<typeof registerProvider> extends SandboxProvider ? true : false;
  scenarios: Same<(typeof SCENARIOS)[number]['id'], string>;
  host: Same<Asked<typeof runJob>['scenarios'], ReturnType<typeof scenarioHost> | undefined>;
  code: AssayError['code'] extends string ? true : false;
  cli: Same<Parameters<typeof runCli>, [words: string[]]>;
}

type Wrong = { [Member in keyof Surface]: Surface[Member] extends true ? never : Member }[keyof Surface];
export const wrong: Same<Wrong, never> = true;
// @ts-expect-error Positive control: what does not hold is told.
export const control: Same<Answer<typeof gradeSubmission>, string> = true;
export type Functions = [
  typeof checkReceipt,
  typeof judgeByStandard,
  typeof makeStandardTask,
  typeof openModelLane,
  typeof openPackageLane,
  typeof verifyReceipt,
];
