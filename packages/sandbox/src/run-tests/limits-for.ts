import type { Limits, SandboxProvider } from '../contract.ts';

/** The limits that can be asked for: all of them, or, where a provider takes none of the others, the one on output. */
export function limitsFor(provider: SandboxProvider, { outputBytes, ...others }: Required<Limits>): Limits {
  return provider.takesLimits === false ? { outputBytes } : { ...others, outputBytes };
}
