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
export type { Ecosystem } from './ecosystems/ecosystem.ts';
export { registerEcosystem } from './ecosystems/index.ts';
export { candidateOfChange, type MadeChange } from './mine/candidate-of-change.ts';
export { Rejection, type Candidate } from './mine/candidate.ts';
export { registerPipeline } from './mine/pipelines/index.ts';
export { definePipeline, type Collect, type Collected, type Found, type Pipeline } from './mine/pipelines/pipeline.ts';
