export { AssayError, ERRORS, type ErrorCode, type ErrorDetails, type ErrorKind } from './errors.ts';
export { canonicalJson } from './canonical-json.ts';
export { harmlessText } from './harmless-text.ts';
export { compareIsolation, IsolationLevel, LimitsLevel } from './isolation.ts';
export { Job, Trial } from './job.ts';
export { REJECTION_NAMES, REJECTION_REASONS, type RejectionReason } from './rejection.ts';
export { SEAL_NAMES, SEALS, type SealName } from './seals.ts';
export { AssayMetadata, EnvironmentSpec, Proof, RunCount, TaskToml, TestCommand } from './task.ts';
export { Outcome, TestResult, TestStatus, Trust, TrustLevel, Verdict } from './verdict.ts';
