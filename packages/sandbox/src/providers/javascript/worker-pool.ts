import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { AssayError } from '@assay/protocol/errors';
import { readOutcome, type CaseOutcome } from '../../run-tests/case-outcome.ts';
import { timedOutAfter, type ProgramRequest } from './program-result.ts';
import type { CasesMessage, FromWorker, ToWorker } from './worker-messages.ts';

/**
 * How long after its time a case is left to end by itself, before its thread is killed: a native call does not hear the
 * interrupt.
 */
const GRACE_MS = 250;
/** JavaScript's own memory in the thread; what guests take is WebAssembly's and limited apart. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/** Why a thread had to go, and what it did not answer. */
interface Death {
  reason: string;
  timedOut: boolean;
  durationMs: number;
}

type OnOutcome = (text: string, durationMs: number) => void;

/**
 * Threads that run submissions and programs, at most as many as there are processors. They start when they are needed,
 * and stay.
 */
export class WorkerPool {
  readonly #source: URL;
  readonly #provider: string;
  readonly #idle: PooledWorker[] = [];
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  /** `source`: the module of the thread, which is compiled where this one is. */
  constructor(provider: string, source: URL) {
    this.#provider = provider;
    this.#source = new URL(source.href.replace(/\.ts$/, import.meta.url.endsWith('.ts') ? '.ts' : '.js'));
  }

  /**
   * Runs a submission. Threads that had to be killed are replaced; the other cases go on in the next. Throws
   * `INTERRUPTED`.
   */
  runCases(message: Omit<CasesMessage, 'kind'>, signal?: AbortSignal): Promise<CaseOutcome[]> {
    return this.#inTurn(async () => {
      const outcomes: CaseOutcome[] = [];
      while (outcomes.length < message.cases.length) {
        const rest: ToWorker = { kind: 'cases', ...message, cases: message.cases.slice(outcomes.length) };
        const death = await this.#onWorker(rest, signal, (text, durationMs) =>
          outcomes.push({ ...readOutcome(text), durationMs }),
        );
        if (death) outcomes.push({ kind: 'failed', reason: death.reason, durationMs: death.durationMs });
      }
      return outcomes;
    });
  }

  /** Runs a program, and returns the guest's answer (see `readProgramResult`). Throws `INTERRUPTED`. */
  runProgram(request: ProgramRequest, signal?: AbortSignal): Promise<string> {
    return this.#inTurn(async () => {
      let said = '';
      const death = await this.#onWorker({ kind: 'program', ...request }, signal, (text) => {
        said = text;
      });
      if (!death) return said;
      return JSON.stringify({
        stdout: '',
        stderr: death.timedOut ? '' : `${death.reason}\n`,
        exitCode: death.timedOut ? 124 : 1,
        timedOut: death.timedOut,
      });
    });
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    // The place is handed on directly, so that a newcomer cannot take it in between.
    if (this.#busy >= availableParallelism())
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    else this.#busy += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#busy -= 1;
    }
  }

  async #onWorker(message: ToWorker, signal: AbortSignal | undefined, onOutcome: OnOutcome): Promise<Death | null> {
    if (signal?.aborted) throw new AssayError('INTERRUPTED');
    const used = this.#idle.pop();
    const worker = used ?? new PooledWorker(this.#provider, this.#source, (dead) => this.#forget(dead));
    try {
      const death = await runOn(worker, message, onOutcome, signal);
      if (!death) this.#idle.push(worker);
      return death;
    } catch (error) {
      // Something that an earlier submission left behind ended the thread.
      if (used && AssayError.is(error) && error.code === 'SANDBOX_START_FAILED')
        return this.#onWorker(message, signal, onOutcome);
      throw error;
    }
  }

  #forget(dead: PooledWorker): void {
    const at = this.#idle.indexOf(dead);
    if (at !== -1) this.#idle.splice(at, 1);
  }
}

/** Hears from the thread that runs a submission. */
interface Listener {
  onMessage: (said: FromWorker) => void;
  onDeath: (reason: string) => void;
}

/** A thread that outlives submissions. Listeners are exchanged, as a worker without any would not be heard any more. */
class PooledWorker {
  readonly #worker: Worker;
  readonly #onDeath: (dead: PooledWorker) => void;
  readonly provider: string;
  listener: Listener | null = null;

  constructor(provider: string, source: URL, onDeath: (dead: PooledWorker) => void) {
    this.provider = provider;
    this.#onDeath = onDeath;
    // Nothing of the host's environment, arguments or standard input.
    this.#worker = new Worker(source, {
      env: {},
      argv: [],
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: THREAD_LIMITS,
      name: `assay-${provider}`,
    });
    this.#worker.on('message', (said: FromWorker) => this.listener?.onMessage(said));
    this.#worker.on('error', (error) =>
      this.#died(error.message.includes('memory') ? 'out of memory' : `the runtime broke down: ${error.message}`),
    );
    this.#worker.on('exit', () => this.#died('the runtime ended'));
  }

  run(message: ToWorker, listener: Listener): void {
    this.listener = listener;
    this.#worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage(message);
  }

  rest(): void {
    this.listener = null;
    this.#worker.unref();
  }

  async kill(): Promise<void> {
    this.listener = null;
    await this.#worker.terminate();
  }

  #died(reason: string): void {
    this.#onDeath(this);
    this.listener?.onDeath(reason);
  }
}

/**
 * Null when the thread can be used again; else it is dead. Rejects when the signal fires, and with
 * `SANDBOX_START_FAILED` when the thread died before anything foreign ran in it: that is no doing of the submission.
 */
function runOn(
  worker: PooledWorker,
  message: ToWorker,
  onOutcome: OnOutcome,
  signal: AbortSignal | undefined,
): Promise<Death | null> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    let startedAt: number | null = null;
    const durationMs = (): number => (startedAt === null ? 0 : performance.now() - startedAt);
    const leave = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const kill = (reason: string, timedOut: boolean): void => {
      leave();
      const death: Death = { reason, timedOut, durationMs: durationMs() };
      const settle = (): void => {
        if (startedAt === null)
          reject(new AssayError('SANDBOX_START_FAILED', { provider: worker.provider, detail: reason }));
        else resolve(death);
      };
      void worker.kill().then(settle);
    };
    const onAbort = (): void => {
      leave();
      void worker.kill().then(() => reject(new AssayError('INTERRUPTED')));
    };
    const start = (timeoutMs: number): void => {
      startedAt = performance.now();
      timer = setTimeout(() => kill(timedOutAfter(timeoutMs), true), timeoutMs + GRACE_MS);
    };
    const onMessage = (said: FromWorker): void => {
      clearTimeout(timer);
      if (said.kind === 'started') return start(said.timeoutMs);
      onOutcome(said.text, durationMs());
      startedAt = null;
      if (typeof said.next === 'number') start(said.next);
      if (said.next !== 'end') return;
      leave();
      worker.rest();
      resolve(null);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    worker.run(message, { onMessage, onDeath: (reason) => kill(reason, false) });
  });
}
