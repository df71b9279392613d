import { parentPort } from 'node:worker_threads';
import { newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten-core';
import { BrokenEngine, QuickJSEngine } from './quickjs-engine.ts';
import { SubmissionScript } from './submission-script.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

/** The memory of an engine never shrinks; beyond this the engine is replaced. */
const MOST_ENGINE_BYTES = 64 * 1024 * 1024;

let engine: QuickJSEngine | null = null;

async function freshEngine(): Promise<QuickJSEngine> {
  return new QuickJSEngine(await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync')));
}

function say(message: FromWorker): void {
  parentPort?.postMessage(message);
}

async function run({ source, language, functionName, cases, memoryBytes }: ToWorker): Promise<void> {
  const script = new SubmissionScript(source, language);
  for (const [index, { input, timeoutMs }] of cases.entries()) {
    say({ kind: 'started', index });
    engine ??= await freshEngine();
    const text = runOne(engine, script, { functionName, input, timeoutMs, memoryBytes });
    say({ kind: 'outcome', index, text });
    if (engine && engine.memoryBytes > MOST_ENGINE_BYTES) engine = null;
  }
  say({ kind: 'done' });
}

function runOne(using: QuickJSEngine, script: SubmissionScript, given: Omit<Parameters<QuickJSEngine['runCase']>[0], 'source'>): string {
  try {
    return script.attempt((source) => using.runCase({ ...given, source }));
  } catch (error) {
    if (error instanceof BrokenEngine) engine = null;
    return JSON.stringify({ failed: error instanceof Error ? error.message : 'the runtime broke down' });
  }
}

parentPort?.on('message', (message: ToWorker) => void run(message));
engine = await freshEngine();
