import { createInterface, type Interface } from 'node:readline';
import { AssayError } from '@assay/protocol/errors';
import { harmlessText } from '@assay/protocol/harmless-text';

interface Question {
  number: number;
  total: number;
  check: string;
}
interface Answer {
  passed: boolean;
  evidence: string;
}

/**
 * Asks whoever sits at the terminal, on standard error. Null when standard input or standard error is no terminal: then
 * nobody is asked and nothing waits. Asking rejects with `INTERRUPTED` when `signal` fires, and with
 * `CHECKLIST_UNANSWERED` when the input ends.
 */
export function askPerson(
  signal: AbortSignal,
): { ask: (question: Question) => Promise<Answer>; close: () => void } | null {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
  let lines: LineReader | undefined;
  return {
    ask: async ({ number, total, check }) => {
      lines ??= new LineReader(signal);
      process.stderr.write(`${number}/${total}  ${harmlessText(check)}\n`);
      const read = async (prompt: string): Promise<string> => {
        const line = await lines?.read(prompt);
        if (signal.aborted) throw new AssayError('INTERRUPTED');
        if (typeof line !== 'string')
          throw new AssayError('CHECKLIST_UNANSWERED', {
            items: `item ${number}, as the input ended`,
            missing: 'an answer to each item, or --answers FILE',
          });
        return line.trim();
      };
      let verdict = '';
      while (!/^(y|yes|n|no)$/i.test(verdict)) verdict = await read('      passed? [y/n] ');
      return { passed: /^y/i.test(verdict), evidence: await read('      on what ground? ') };
    },
    close: () => lines?.close(),
  };
}

/** Lines of a terminal, those that were typed before anybody asked included. Null: no more will come. */
class LineReader {
  readonly #interface: Interface;
  readonly #typed: string[] = [];
  #waiting: ((line: string | null) => void) | null = null;
  #ended = false;

  constructor(signal: AbortSignal) {
    this.#interface = createInterface({ input: process.stdin, output: process.stderr });
    this.#interface.on('line', (line) => this.#deliver(line));
    this.#interface.on('close', () => this.#end());
    // The terminal gives Ctrl-C to the line editor, which would keep it from the process.
    this.#interface.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    signal.addEventListener('abort', () => this.#end(), { once: true });
  }

  read(prompt: string): Promise<string | null> {
    const typed = this.#typed.shift();
    if (typed !== undefined) process.stderr.write(`${prompt}${harmlessText(typed)}\n`);
    if (typed !== undefined || this.#ended) return Promise.resolve(typed ?? null);
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#interface.setPrompt(prompt);
      this.#interface.prompt();
    });
  }

  close(): void {
    this.#interface.close();
  }

  #deliver(line: string): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting) waiting(line);
    else this.#typed.push(line);
  }

  #end(): void {
    this.#ended = true;
    this.#waiting?.(null);
    this.#waiting = null;
  }
}
