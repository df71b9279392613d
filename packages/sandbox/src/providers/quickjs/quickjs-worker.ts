import { parentPort } from 'node:worker_threads';
import { newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten-core';
import { SubmissionScript } from '../../languages/javascript/submission-script.ts';
import { BrokenEngine, QuickJSEngine } from './quickjs-engine.ts';
import type { CasesMessage, FromWorker, ToWorker } from '../javascript/worker-messages.ts';

/**
 * The memory of an engine never shrinks. One that has grown beyond this does not outlive the submission, which may have
 * had a higher limit.
 */
const MOST_ENGINE_BYTES = 16 * 1024 * 1024;

const BROKEN = 'the runtime broke down: recursion too deep, or memory';

let engine: QuickJSEngine | null = null;

async function freshEngine(): Promise<QuickJSEngine> {
  return new QuickJSEngine(await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync')));
}

function say(message: FromWorker): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(message);
}

async function run(message: ToWorker): Promise<void> {
  if (message.kind === 'cases') {
    await runCases(message);
  } else {
    const using = await ready(message.timeoutMs);
    say({
      kind: 'outcome',
      next: 'end',
      text: attempt(() => using.runProgram(message), { stderr: `${BROKEN}\n`, exitCode: 1 }),
    });
  }
}

function work(message: ToWorker): void {
  void run(message).finally(() => {
    if (engine && engine.memoryBytes > MOST_ENGINE_BYTES) engine = null;
  });
}

async function runCases({ source, language, functionName, cases, memoryBytes }: CasesMessage): Promise<void> {
  const script = new SubmissionScript(source, language);
  let using: QuickJSEngine | null = null;
  for (const [index, { input, timeoutMs }] of cases.entries()) {
    const now: QuickJSEngine = (using ??= await ready(timeoutMs));
    const text = attempt(
      () => script.attempt((script) => now.runCase({ source: script, functionName, input, timeoutMs, memoryBytes })),
      { failed: BROKEN },
    );
    using = engine;
    // Making another engine takes time that is not the submission's.
    say({
      kind: 'outcome',
      text,
      next: index + 1 === cases.length ? 'end' : using === null ? 'pause' : (cases[index + 1]?.timeoutMs ?? 'end'),
    });
  }
}

/** An engine, after which the time of what comes next begins. */
async function ready(timeoutMs: number): Promise<QuickJSEngine> {
  engine ??= await freshEngine();
  say({ kind: 'started', timeoutMs });
  return engine;
}

function attempt(use: () => string, broken: object): string {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof BrokenEngine)) throw error;
    engine = null;
    return JSON.stringify(broken);
  }
}

parentPort?.on('message', work);
engine = await freshEngine();
