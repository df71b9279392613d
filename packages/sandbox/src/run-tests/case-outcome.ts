import type { Signature } from '@assay/protocol/type-signature';
import { parseTagged, type Tagged } from '../values/tagged-value.ts';

/** Languages that submissions may be written in. */
export type SubmissionLanguage = 'javascript' | 'typescript' | 'python' | 'go' | 'rust';

/** A submission and its inputs, for a provider or a language harness. Holds no expected value. */
export interface CaseRequest {
  source: string;
  language: SubmissionLanguage;
  functionName: string;
  /** Always there for Go and Rust. */
  signature?: Signature;
  /** `input` is the tagged JSON of the list of arguments. */
  cases: readonly { input: string; timeoutMs: number }[];
  memoryBytes?: number;
  signal?: AbortSignal;
}

/**
 * The outcome of one case. `failed`: the function neither returned nor threw, for instance because of a time-out; the
 * reason is one line.
 */
export type CaseOutcome = (
  | { kind: 'returned'; value: Tagged }
  | { kind: 'thrown'; name: string; message: string }
  | { kind: 'failed'; reason: string }
) & {
  /** Duration of the call, measured outside. */
  durationMs?: number;
};

/** Reads what a guest answered, which is foreign text. */
export function readOutcome(text: string): CaseOutcome {
  try {
    // As text the parts are bounded; as values they are checked one by one.
    const parsed: unknown = JSON.parse(text.length > 16 * 1024 * 1024 ? '' : text);
    if (typeof parsed !== 'object' || parsed === null) throw new TypeError('no object');
    if ('returned' in parsed) return { kind: 'returned', value: parseTagged(JSON.stringify(parsed.returned)) };
    if ('thrown' in parsed) {
      const thrown = parsed.thrown as { name?: unknown; message?: unknown } | null;
      return { kind: 'thrown', name: short(thrown?.name), message: short(thrown?.message) };
    }
    if ('failed' in parsed) return { kind: 'failed', reason: short(parsed.failed) };
    throw new TypeError('no outcome');
  } catch (error) {
    return {
      kind: 'failed',
      reason: `the answer cannot be read: ${error instanceof Error ? error.message.slice(0, 200) : 'malformed'}`,
    };
  }
}

function short(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 10_000) : '';
}
