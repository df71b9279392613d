import { StringQueue } from './string-queue.ts';
import { readAnswerLine, type AnswerLine } from './driver-protocol.ts';
import type { ExecResult, Sandbox } from '../contract.ts';

export interface DriverStart {
  argv: string[];
  nonce: string;
  /** Milliseconds that it may run in all. */
  timeoutMs: number;
  /** The sandbox's own limit: more never comes. */
  outputBytes: number;
  /** Characters between two answers; more is a flood. */
  answerCharacters: number;
}

/** The outcome of waiting for an answer. `ended`: the process has ended, with this result. */
export type Waited =
  | ({ kind: 'answer' } & AnswerLine)
  | { kind: 'late' }
  | { kind: 'flood' }
  | { kind: 'ended'; result: ExecResult };

type End = Exclude<Waited, { kind: 'late' | 'answer' }>;

/** A driver that runs in a sandbox and is talked to line by line. */
export class DriverProcess {
  readonly #start: DriverStart;
  readonly #input = new StringQueue();
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #pieces: string[] = [];
  #held = 0;
  #total = 0;
  #awaited: readonly string[];
  #answers: AnswerLine[] = [];
  #end: End | null = null;
  #failure: unknown;
  #wake: (() => void) | null = null;

  /** `first` are the words that may come before anything is asked for. */
  constructor(sandbox: Sandbox, start: DriverStart, first: readonly string[]) {
    this.#start = start;
    this.#awaited = first;
    const running = sandbox.exec('', {
      argv: start.argv,
      timeout: start.timeoutMs,
      stdin: this.#input,
      onStdout: (text) => this.#read(text),
      signal: this.#stop.signal,
    });
    this.#done = running.then(
      (result) => this.#finish({ kind: 'ended', result }),
      (error: unknown) => this.#fail(error),
    );
  }

  /** So much has been written that a new process should take over soon. */
  get nearlyFull(): boolean {
    return this.#total > this.#start.outputBytes / 2;
  }

  send(line: string, words: readonly string[]): void {
    this.#awaited = words;
    this.#answers = [];
    this.#held = 0;
    this.#input.push(line);
  }

  /** The next answer with one of the words that are awaited. Rejects when the sandbox broke. */
  async next(timeoutMs: number): Promise<Waited> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const answer = this.#answers.shift();
      if (answer) return { kind: 'answer', ...answer };
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#end) return this.#end;
      const left = deadline - performance.now();
      if (left <= 0) return { kind: 'late' };
      await this.#event(left);
    }
  }

  /** Kills it, if it runs, and waits until it is gone. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#input.close();
    await this.#done;
  }

  #event(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake?.(), milliseconds);
      this.#wake = () => {
        this.#wake = null;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #read(text: string): void {
    if (this.#end) return;
    this.#total += Buffer.byteLength(text);
    this.#held += text.length;
    if (this.#held > this.#start.answerCharacters || this.#total >= this.#start.outputBytes) {
      this.#pieces = [];
      this.#finish({ kind: 'flood' });
      return;
    }
    this.#pieces.push(text);
    if (!text.includes('\n')) return;
    const lines = this.#pieces.join('').split('\n');
    this.#pieces = [lines.pop() ?? ''];
    for (const line of lines) this.#readLine(line);
  }

  #readLine(line: string): void {
    const answer = readAnswerLine(line, this.#start.nonce);
    if (!answer || !this.#awaited.includes(answer.word)) return;
    // Each word once: the first answer stands.
    this.#awaited = this.#awaited.filter((word) => word !== answer.word);
    this.#answers.push(answer);
    this.#wake?.();
  }

  #finish(end: End): void {
    this.#end ??= end;
    this.#input.close();
    this.#wake?.();
  }

  #fail(error: unknown): void {
    if (!this.#stop.signal.aborted) this.#failure = error;
    this.#wake?.();
  }
}
