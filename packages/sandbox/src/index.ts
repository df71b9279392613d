export type { ExecOptions, ExecResult, Lane, Limits, Mount, Network, Sandbox, SandboxOptions, SandboxProvider } from './contract.ts';
export { chooseProvider } from './detect/choose-provider.ts';
export { detectProviders, type ProviderReport } from './detect/detect-providers.ts';
export { sandboxOwner } from './owner.ts';
export { runCommand, type CommandResult, type RunCommandOptions } from './process/run-command.ts';
export { bubblewrapProvider } from './providers/bubblewrap/bubblewrap-provider.ts';
export { runcProvider, runscProvider } from './providers/oci/oci-provider.ts';
export { sweepStale } from './runtime/sweep-stale.ts';
export { HOST_MASKS } from './stage/host-masks.ts';
