import { constants } from 'node:os';
import { harmlessText } from '@assay/protocol/harmless-text';
import type { ExecResult } from '../contract.ts';

/** The name of each signal; the first where it has several. */
const SIGNALS = new Map(
  Object.entries(constants.signals)
    .toReversed()
    .map(([name, number]): [number, string] => [number, name]),
);
const MEANINGS: Record<string, string> = {
  SIGSEGV: 'segmentation fault',
  SIGABRT: 'abort',
  SIGFPE: 'arithmetic error',
  SIGILL: 'illegal instruction',
  SIGBUS: 'bus error',
  SIGKILL: 'kill',
};
const LAST_WORDS: readonly (readonly [RegExp, string])[] = [
  [/JavaScript heap out of memory|memory allocation of \d+ bytes failed|^MemoryError/m, 'out of memory'],
  [/fatal error: runtime: (?:cannot allocate|out of) memory/, 'out of memory'],
  [/has overflowed its stack|goroutine stack exceeds|Fatal Python error: .*stack overflow/m, 'stack overflow'],
];

/** Why a process ended that should have answered, in one line. */
export function describeEnd(result: ExecResult): string {
  if (result.outOfMemory) return 'out of memory';
  const known = LAST_WORDS.find(([pattern]) => pattern.test(result.stderr.slice(0, 20_000)));
  if (known) return known[1];
  const signal = result.exitCode > 128 ? SIGNALS.get(result.exitCode - 128) : undefined;
  if (signal !== undefined) return `killed by signal ${result.exitCode - 128} (${MEANINGS[signal] ?? signal})`;
  const said = firstWords(result.stderr);
  return `the process ended with code ${result.exitCode} before it answered${said === '' ? '' : `: ${said}`}`;
}

/** The line with the error if one is to be seen, else the last. */
function firstWords(stderr: string): string {
  const lines = stderr
    .slice(-20_000)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const line =
    lines.find((candidate) => /^(panic|fatal error|thread '.*' panicked)/.test(candidate)) ?? lines.at(-1) ?? '';
  return harmlessText(line.slice(0, 300));
}
