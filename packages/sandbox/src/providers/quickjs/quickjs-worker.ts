import { parentPort } from 'node:worker_threads';
import { newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten-core';
import { SubmissionScript } from '../../languages/javascript/submission-script.ts';
import { BrokenEngine, QuickJSEngine } from './quickjs-engine.ts';
import type { CasesMessage, FromWorker, ToWorker } from '../javascript/worker-messages.ts';

/** The memory of an engine never shrinks; beyond this the engine is replaced. */
const MOST_ENGINE_BYTES = 64 * 1024 * 1024;

let engine: QuickJSEngine | null = null;

async function freshEngine(): Promise<QuickJSEngine> {
  return new QuickJSEngine(await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync')));
}

function say(message: FromWorker): void {
  parentPort?.postMessage(message);
}

async function run(message: ToWorker): Promise<void> {
  if (message.kind === 'cases') await runCases(message);
  else await work(message.timeoutMs, (using) => using.runProgram(message), () => ({ stdout: '', stderr: 'the runtime broke down: recursion too deep, or memory\n', exitCode: 1 }));
  say({ kind: 'done' });
}

async function runCases({ source, language, functionName, cases, memoryBytes }: CasesMessage): Promise<void> {
  const script = new SubmissionScript(source, language);
  for (const { input, timeoutMs } of cases) {
    const attempt = (using: QuickJSEngine): string => script.attempt((text) => using.runCase({ source: text, functionName, input, timeoutMs, memoryBytes }));
    await work(timeoutMs, attempt, (reason) => ({ failed: reason }));
  }
}

async function work(timeoutMs: number, use: (engine: QuickJSEngine) => string, failed: (reason: string) => object): Promise<void> {
  engine ??= await freshEngine();
  say({ kind: 'started', timeoutMs });
  try {
    say({ kind: 'outcome', text: use(engine) });
  } catch (error) {
    if (error instanceof BrokenEngine) engine = null;
    say({ kind: 'outcome', text: JSON.stringify(failed(error instanceof Error ? error.message : 'the runtime broke down')) });
  }
  if (engine && engine.memoryBytes > MOST_ENGINE_BYTES) engine = null;
}

parentPort?.on('message', (message: ToWorker) => void run(message));
engine = await freshEngine();
