import { z } from 'zod';
import type { Mount, SandboxProvider } from '@assay/sandbox';
import type { CompareFacet } from '../../ecosystems/compare-facet.ts';
import type { ReadTokens } from './compare-changes.ts';

const TIMEOUT_MS = 60_000;
const OUTPUT_BYTES = 256 * 1024 * 1024;

const TokenLists = z.array(z.array(z.string()).nullable());

export interface TokenReader {
  facet: CompareFacet;
  /** What brings the language's interpreter. */
  environment: { mounts(options: { writable: boolean }): Mount[]; env: Record<string, string> };
  provider: SandboxProvider;
  signal?: AbortSignal;
}

/** Reads sources in a sandbox: what a submission holds may be made to break a parser. */
export function tokenReader({ facet, environment, provider, signal }: TokenReader): ReadTokens {
  return async (sources) => {
    const { argv, env, mounts } = facet.tool(environment.env);
    const sandbox = await provider.create({
      mounts: [...environment.mounts({ writable: false }), ...mounts],
      env: { ...environment.env, ...env },
      limits: { outputBytes: OUTPUT_BYTES },
      signal,
    });
    try {
      const stdin = JSON.stringify({ sources });
      const { stdout, exitCode, truncated } = await sandbox.exec('', { argv, stdin, timeout: TIMEOUT_MS, signal });
      signal?.throwIfAborted();
      return exitCode === 0 && !truncated ? TokenLists.parse(JSON.parse(stdout)) : sources.map(() => null);
    } finally {
      await sandbox.destroy();
    }
  };
}
