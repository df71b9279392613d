export { AssayError, type ErrorCode, type ErrorKind } from '@assay/protocol/errors';
export type { IsolationLevel, LimitsLevel } from '@assay/protocol/isolation';
export type {
  ExecOptions,
  ExecResult,
  Exposure,
  ForkServer,
  ForkServerProgram,
  Lane,
  Limits,
  Mount,
  Network,
  Sandbox,
  SandboxOptions,
  SandboxProvider,
  SandboxUsage,
} from './contract.ts';
export { chooseProvider } from './detect/choose-provider.ts';
export { chooseTestProvider } from './detect/choose-test-provider.ts';
export { detectProviders, type ProviderReport } from './detect/detect-providers.ts';
export { registerProvider, type NamedProvider } from './detect/register-provider.ts';
export { languageTools, type LanguageTools } from './languages/language-tools.ts';
export { sandboxOwner } from './owner.ts';
export { isAlive as isOwnerAlive } from './process/process-identity.ts';
export { runCommand, type CommandResult, type RunCommandOptions } from './process/run-command.ts';
export { bubblewrapProvider } from './providers/bubblewrap/bubblewrap-provider.ts';
export { NodeVMProvider } from './providers/node-vm/node-vm-provider.ts';
export { runcProvider, runscProvider } from './providers/oci/oci-provider.ts';
export { QuickJSProvider } from './providers/quickjs/quickjs-provider.ts';
export { SandbankAdapter, type SandbankAdapterOptions } from './providers/sandbank/sandbank-adapter.ts';
export type { SandbankProvider } from './providers/sandbank/sandbank-types.ts';
export { calcScore } from './run-tests/calc-score.ts';
export type { CaseOutcome, CaseRequest, SubmissionLanguage } from './run-tests/case-outcome.ts';
export { reportTests, runTests, type RunTestsOptions, type TestReport } from './run-tests/run-tests.ts';
export type { TestCase, TestResult } from './run-tests/test-case.ts';
export { ownerIdentity } from './runtime/runtime-directory.ts';
export { sweepStale } from './runtime/sweep-stale.ts';
export { HOST_MASKS } from './stage/host-masks.ts';
export { fromTagged, toTagged, type Tagged } from './values/tagged-value.ts';
