// The use cases of Assay as functions.
export { runCheats, type RunCheatsOptions } from './commands/cheats.ts';
export { gradeSubmission, type GradeOptions } from './commands/grade.ts';
export { makeStandardTask, type StandardTaskOptions } from './commands/make-standard-task.ts';
export { mineRepository, type MineOptions } from './commands/mine.ts';
export type { VerifyReceiptOptions } from './commands/receipt/verification.ts';
export { verifyReceipt } from './commands/receipt/verify-receipt.ts';
export { validateTasks, type ValidateOptions } from './commands/validate.ts';
export { runJob, type RunJobOptions } from './job/run-job.ts';

// Families that can be added to from outside.
export type { Agent, AgentContext, AgentModel, AgentOutfit, AgentRun } from './agents/agent.ts';
export { registerAgent } from './agents/index.ts';
export type { AttackFacet, AttackFiles, TestStart } from './ecosystems/attack-facet.ts';
export type { BaitFacet, BaitTest, FunctionPlace } from './ecosystems/bait-facet.ts';
export { LANE_ORIGIN, withBuildBox, type BuildBox, type BuildBoxOptions } from './ecosystems/build-box.ts';
export { cutoffs } from './ecosystems/cutoffs.ts';
export type { ImageFacet } from './ecosystems/image-facet.ts';
export {
  ecosystemOf,
  registerEcosystem,
  type BuildRequest,
  type Ecosystem,
  type Launch,
  type LaunchRequest,
  type PreparedEnvironment,
  type RestoreRequest,
} from './ecosystems/index.ts';
export type { PackageFacet } from './ecosystems/package-facet.ts';
export { showFiles, showWholeTree, type ShownTree } from './ecosystems/shown-tree.ts';
export type { Definition, DefinitionKind, SourceFacet } from './ecosystems/source-facet.ts';
export { sourceTokens, type Lexicon, type SourceToken } from './ecosystems/source-tokens.ts';
export type { TestFacet } from './ecosystems/test-facet.ts';
export { listTree, readTreeFile, readTreeText } from './ecosystems/tree-files.ts';
export { candidateOfChange, type MadeChange } from './mine/candidate-of-change.ts';
export { Rejection, type Candidate } from './mine/candidate.ts';
export { registerPipeline } from './mine/pipelines/index.ts';
export {
  definePipeline,
  type Collect,
  type Collected,
  type Found,
  type Pipeline,
  type ReadContext,
} from './mine/pipelines/pipeline.ts';
