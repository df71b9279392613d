export type { ExecOptions, ExecResult, Lane, Limits, Mount, Network, Sandbox, SandboxOptions, SandboxProvider } from './contract.ts';
export { sandboxOwner } from './owner.ts';
export { runCommand, type CommandResult, type RunCommandOptions } from './process/run-command.ts';
export { bubblewrapProvider } from './providers/bubblewrap/bubblewrap-provider.ts';
export { chooseProvider } from './detect.ts';
export { runcProvider, runscProvider } from './providers/oci/oci-provider.ts';
