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
export { CandidateEnd, DatasetLedger, MineResult, PipelineNotes } from './mine.ts';
export type { OnProgress, ProgressEvent } from './progress.ts';
export { AgentStatus, Job, JobModel, SealCheckRecord, Trial, TrialUsage } from './job.ts';
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
export { SEAL_NAMES, SEALS, type SealName } from './seals.ts';
export {
  AssayMetadata,
  EnvironmentSpec,
  Proof,
  RepositoryMetadata,
  RunCount,
  ScenarioMetadata,
  StandardMetadata,
  TaskToml,
  TestCommand,
} from './task.ts';
export { Outcome, TestResult, TestStatus, Trust, TrustLevel, Verdict } from './verdict.ts';
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
