import { parentPort, workerData } from 'node:worker_threads';
import { transformSource } from '../javascript/transform-source.ts';

/** What a thread that transforms a source answers. */
export type Transformed = { script: string } | { refused: string };

function transformed(source: unknown): Transformed {
  try {
    return { script: transformSource(String(source)) };
  } catch (error) {
    return { refused: `SyntaxError: ${error instanceof Error ? error.message : 'it does not parse'}` };
  }
}

parentPort?.postMessage(transformed(workerData));
