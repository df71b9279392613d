export { AssayError, ERRORS, type ErrorCode, type ErrorDetails, type ErrorKind } from './errors.ts';
export { Canary, CanaryForm, CanaryTouch, TrialCanaries } from './canaries.ts';
export { canonicalJson } from './canonical-json.ts';
export { FailureOutcome, ItemFailure } from './failure.ts';
export { harmlessText, replaceHarmful } from './harmless-text.ts';
export {
  compareIsolation,
  ISOLATION_LEVELS,
  LIMITS_LEVELS,
  type IsolationLevel,
  type LimitsLevel,
} from './isolation.ts';
export {
  CandidateEnd,
  CandidateRecord,
  DatasetLedger,
  Examination,
  ModelExchange,
  MINE_STAGES,
  MinedPart,
  MineResult,
  PipelineNotes,
  type MineStage,
} from './mine.ts';
export { ProgressEvent, type OnProgress } from './progress.ts';
export {
  AgentMount,
  CandidateOrder,
  CommitName,
  FixCommits,
  GradeOrder,
  SpecificityPolicy,
  TrialOrder,
} from './order.ts';
export type { OrderLease, OrderQueue, QueueCounts, QueuedOrder } from './order-queue.ts';
export { AgentStatus, Job, JobModel, QuarantinedTask, SealCheckRecord, Trial, TrialUsage } from './job.ts';
export {
  MAX_RECEIPT_BYTES,
  Receipt,
  RECEIPT_TYPE,
  ReceiptDigest,
  ReceiptEnvelope,
  ReceiptScoring,
  type ChildRecord,
  type LeafRecord,
  type ReceiptResult,
  type ReceiptResults,
} from './receipt.ts';
export { REJECTION_NAMES, REJECTION_REASONS, type RejectionReason } from './rejection.ts';
export { Sentence, SENTENCE_SOURCES, type SentenceSource } from './sentence.ts';
export { SEAL_NAMES, SEALS, type SealName } from './seals.ts';
export {
  AssayMetadata,
  EnvironmentSpec,
  MutantReport,
  Proof,
  RepositoryMetadata,
  RunCount,
  BlindReport,
  Severity,
  Survivor,
  TASK_PARTS,
  type TaskPart,
  ScenarioMetadata,
  DiffMetadata,
  StandardMetadata,
  SuiteChoice,
  TaskToml,
  TestCommand,
} from './task.ts';
export { SITE_LEVELS, SiteLevel, SPLIT_CLASSES, SplitClass, SplitPlan, SplitSite, SplitTest } from './split.ts';
export { Trajectory, TrajectoryMetrics, TrajectoryStep, TrajectoryToolCall, TrajectoryTotals } from './trajectory.ts';
export { Outcome, SplitCounts, TestResult, TestStatus, Trust, TrustLevel, Verdict } from './verdict.ts';
export { functionNameProblem } from './function-name.ts';
export {
  CaseJudgement,
  type ChildJudgement,
  CriterionJudgement,
  ItemJudgement,
  Judgement,
  type ResultJudgement,
} from './judgement.ts';
export {
  ChecklistItem,
  ChecklistProbe,
  ChecklistStandard,
  CompositeStandard,
  JudgePromptStandard,
  Language,
  MIN_PASS_SCORE,
  SIGNATURE_LANGUAGES,
  Standard,
  STANDARD_TYPES,
  StandardCase,
  TestCasesStandard,
} from './standard.ts';
export { parseSignatureType, type Signature, type SignatureType } from './type-signature.ts';
export { weightedFloor } from './weighted-score.ts';
export { resultProblem, RESULTS, type ResultName, type ResultOf } from './results/index.ts';
export {
  BaxProfile,
  BaxPrompt,
  BaxRows,
  BaxSplit,
  CheckReport,
  Estimate,
  EvalReport,
  FunctionalResult,
  GradedTree,
  Rates,
  SampleGrade,
  ScenarioTaskResult,
  SecurityResult,
  WrittenDataset,
  WrittenPackage,
} from './results/bax-results.ts';
export { ErrorDocument } from './results/error-document.ts';
export {
  Finding,
  JobAudit,
  JobResult,
  JobSummary,
  Place,
  RecordedTrial,
  SubmissionManifest,
} from './results/job-results.ts';
export {
  Judgements,
  KeyDescription,
  ReceiptCheck,
  ReceiptReport,
  ResultDifference,
  StandardTaskResult,
} from './results/judging-results.ts';
export {
  AlternateReport,
  CheatReport,
  CheatsResult,
  DemoResult,
  Leak,
  TaskReport,
  ValidateResult,
} from './results/proof-results.ts';
export { ShownTask, SplitTaskReport, SplitTaskResult } from './results/task-results.ts';
export { GatewayResult, Machine, MirrorResult, SelfTestResult } from './results/service-results.ts';
