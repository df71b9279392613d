import { Worker } from 'node:worker_threads';
import type { Transformed } from './transform-worker.ts';

const TIMEOUT_MS = 10_000;
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
const SOURCE = new URL(
  import.meta.url.endsWith('.ts') ? 'transform-worker.ts' : 'transform-worker.js',
  import.meta.url,
);

/**
 * `transformSource` in a thread of its own, as foreign text may keep a parser busy for ever, or make it run out of
 * memory.
 */
export async function transformInWorker(source: string): Promise<Transformed> {
  const worker = new Worker(SOURCE, {
    workerData: source,
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: LIMITS,
    name: 'assay-transform',
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Transformed>((resolve) => {
      timer = setTimeout(() => resolve({ refused: 'the source takes too long to parse' }), TIMEOUT_MS);
      worker.once('message', resolve);
      worker.once('error', (error) => resolve({ refused: `the source cannot be parsed: ${error.message}` }));
      worker.once('exit', () => resolve({ refused: 'the source cannot be parsed' }));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
