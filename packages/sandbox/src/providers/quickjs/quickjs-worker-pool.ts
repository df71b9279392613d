import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { AssayError } from '@assay/protocol/errors';
import { readOutcome, type CaseOutcome } from '../../run-tests/case-outcome.ts';
import { timedOutAfter, type ProgramRequest } from '../javascript/program-result.ts';
import type { CasesMessage, FromWorker, ToWorker } from './worker-messages.ts';

/** How long after its time a case is left to end by itself, before its thread is killed: a native call does not hear the interrupt. */
const GRACE_MS = 250;
/** JavaScript's own memory in the thread; what guests take is WebAssembly's and limited apart. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
const SOURCE = new URL(import.meta.url.endsWith('.ts') ? 'quickjs-worker.ts' : 'quickjs-worker.js', import.meta.url);

const idle: PooledWorker[] = [];
const waiting: (() => void)[] = [];
let busy = 0;

/** Why a thread had to go, and what it did not answer. */
interface Death { reason: string; timedOut: boolean }

/** Runs a submission in a thread of the pool. Threads that had to be killed are replaced; the other cases go on in the next. */
export function runCasesInWorker(message: CasesMessage, signal?: AbortSignal): Promise<CaseOutcome[]> {
  return inPool(async () => {
    const outcomes: CaseOutcome[] = [];
    while (outcomes.length < message.cases.length) {
      const rest = { ...message, cases: message.cases.slice(outcomes.length) };
      const death = await onWorker(rest, signal, (text) => outcomes.push(readOutcome(text)));
      if (death) outcomes.push({ kind: 'failed', reason: death.reason });
    }
    return outcomes;
  });
}

/** What the guest says about the program. */
export function runProgramInWorker(request: ProgramRequest, signal?: AbortSignal): Promise<string> {
  return inPool(async () => {
    let said = '';
    const death = await onWorker({ kind: 'program', ...request }, signal, (text) => { said = text; });
    if (!death) return said;
    return JSON.stringify({ stdout: '', stderr: death.timedOut ? '' : `${death.reason}\n`, exitCode: death.timedOut ? 124 : 1, timedOut: death.timedOut });
  });
}

async function inPool<T>(work: () => Promise<T>): Promise<T> {
  // Whoever ends hands its place on, so that no third one can take it in between.
  if (busy >= availableParallelism()) await new Promise<void>((resolve) => { waiting.push(resolve); });
  else busy += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else busy -= 1;
  }
}

async function onWorker(message: ToWorker, signal: AbortSignal | undefined, onOutcome: (text: string) => void): Promise<Death | null> {
  if (signal?.aborted) throw new AssayError('INTERRUPTED');
  const worker = idle.pop() ?? new PooledWorker();
  const death = await runOn(worker, message, onOutcome, signal);
  if (!death) idle.push(worker);
  return death;
}

/** What the thread that is running a submission has to say. */
interface Listener {
  onMessage: (said: FromWorker) => void;
  onDeath: (reason: string) => void;
}

/** A thread that outlives submissions. Listeners are exchanged, as a worker without any would not be heard any more. */
class PooledWorker {
  readonly #worker: Worker;
  listener: Listener | null = null;

  constructor() {
    // Nothing of the host's environment, arguments or standard input.
    this.#worker = new Worker(SOURCE, { env: {}, argv: [], execArgv: [], stdin: false, stdout: true, stderr: true, resourceLimits: THREAD_LIMITS, name: 'assay-quickjs' });
    this.#worker.on('message', (said: FromWorker) => this.listener?.onMessage(said));
    this.#worker.on('error', (error) => this.#died(error.message.includes('memory') ? 'out of memory' : `the runtime broke down: ${error.message}`));
    this.#worker.on('exit', () => this.#died('the runtime ended'));
  }

  run(message: ToWorker, listener: Listener): void {
    this.listener = listener;
    this.#worker.ref();
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
    const at = idle.indexOf(this);
    if (at !== -1) idle.splice(at, 1);
    this.listener?.onDeath(reason);
  }
}

/** Null when the thread can be used again; else it is dead. Rejects when the signal fires. */
function runOn(worker: PooledWorker, message: ToWorker, onOutcome: (text: string) => void, signal: AbortSignal | undefined): Promise<Death | null> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const leave = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const kill = (death: Death): void => {
      leave();
      void worker.kill().then(() => resolve(death));
    };
    const onAbort = (): void => {
      leave();
      void worker.kill().then(() => reject(new AssayError('INTERRUPTED')));
    };
    const onMessage = (said: FromWorker): void => {
      clearTimeout(timer);
      if (said.kind === 'outcome') {
        onOutcome(said.text);
      } else if (said.kind === 'started') {
        timer = setTimeout(() => kill({ reason: timedOutAfter(said.timeoutMs), timedOut: true }), said.timeoutMs + GRACE_MS);
      } else {
        leave();
        worker.rest();
        resolve(null);
      }
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    worker.run(message, { onMessage, onDeath: (reason) => kill({ reason, timedOut: false }) });
  });
}
