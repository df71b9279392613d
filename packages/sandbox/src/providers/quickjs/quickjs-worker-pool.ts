import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { CaseOutcome } from '../../run-tests/case-outcome.ts';
import { readOutcome } from '../../run-tests/case-outcome.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

/** How long after its time a case is left to end by itself, before its thread is killed: a native call does not hear the interrupt. */
const GRACE_MS = 250;
/** JavaScript's own memory in the thread; what guests take is WebAssembly's and limited apart. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
const SOURCE = new URL(import.meta.url.endsWith('.ts') ? 'quickjs-worker.ts' : 'quickjs-worker.js', import.meta.url);

const idle: PooledWorker[] = [];
const waiting: (() => void)[] = [];
let busy = 0;

/** Runs a submission in a thread of the pool. Threads that had to be killed are replaced; the other cases go on in the next. */
export async function runInWorker(message: ToWorker, signal?: AbortSignal): Promise<CaseOutcome[]> {
  const outcomes: CaseOutcome[] = [];
  if (busy >= availableParallelism()) await new Promise<void>((resolve) => { waiting.push(resolve); });
  busy += 1;
  try {
    while (outcomes.length < message.cases.length) {
      signal?.throwIfAborted();
      const worker = idle.pop() ?? new PooledWorker();
      const alive = await runOn(worker, { ...message, cases: message.cases.slice(outcomes.length) }, outcomes, signal);
      if (alive) idle.push(worker);
    }
    return outcomes;
  } finally {
    busy -= 1;
    waiting.shift()?.();
  }
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

/** Adds outcomes as they come. False when the worker is dead; then there is an outcome for the case that it died of. */
function runOn(worker: PooledWorker, message: ToWorker, outcomes: CaseOutcome[], signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    let startedAt = 0;
    const durationMs = (): number => performance.now() - startedAt;
    const onAbort = (): void => {
      clearTimeout(timer);
      void worker.kill().then(() => reject(signal?.reason));
    };
    const kill = (reason: string): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      outcomes.push({ kind: 'failed', reason, durationMs: durationMs() });
      void worker.kill().then(() => resolve(false));
    };
    const onMessage = (said: FromWorker): void => {
      clearTimeout(timer);
      if (said.kind === 'outcome') {
        outcomes.push({ ...readOutcome(said.text), durationMs: durationMs() });
      } else if (said.kind === 'started') {
        startedAt = performance.now();
        const { timeoutMs = 0 } = message.cases[said.index] ?? {};
        timer = setTimeout(() => kill(`timed out after ${timeoutMs} ms`), timeoutMs + GRACE_MS);
      } else {
        signal?.removeEventListener('abort', onAbort);
        worker.rest();
        resolve(true);
      }
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    worker.run(message, { onMessage, onDeath: kill });
  });
}
