import { createInterface } from 'node:readline/promises';
import { harmlessText } from '@assay/protocol/harmless-text';

interface Question { number: number; total: number; check: string }
interface Answer { passed: boolean; evidence: string }

/**
 * Asks whoever sits at the terminal, on standard error. Null when standard input or standard error is no terminal: then nobody is asked and nothing
 * waits. Asking rejects when `signal` fires or the input ends.
 */
export function askPerson(signal: AbortSignal): { ask: (question: Question) => Promise<Answer>; close: () => void } | null {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
  let lines: ReturnType<typeof createInterface> | undefined;
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const open = (): ReturnType<typeof createInterface> => {
    if (lines) return lines;
    lines = createInterface({ input: process.stdin, output: process.stderr });
    lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    lines.on('close', () => ended.abort(new Error('the input ended before every item was answered')));
    return lines;
  };
  return {
    ask: async ({ number, total, check }) => {
      process.stderr.write(`${number}/${total}  ${harmlessText(check)}\n`);
      let verdict = '';
      while (!/^(y|yes|n|no)$/i.test(verdict)) verdict = (await open().question('      passed? [y/n] ', { signal: either })).trim();
      const evidence = (await open().question('      on what ground? ', { signal: either })).trim();
      return { passed: /^y/i.test(verdict), evidence };
    },
    close: () => lines?.close(),
  };
}
