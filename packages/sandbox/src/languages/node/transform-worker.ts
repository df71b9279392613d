import { parentPort, workerData } from 'node:worker_threads';
import { SubmissionScript } from '../javascript/submission-script.ts';

/** The answer of a thread that transforms a source. */
export type Transformed = { script: string } | { refused: string };

/** Nothing is run: the script is caught on its way. */
function transformed(source: string): Transformed {
  let script = '';
  const refusal = new SubmissionScript(source, 'typescript').attempt((text) => {
    script = text;
    return '';
  });
  return refusal === '' ? { script } : { refused: readRefusal(refusal) };
}

function readRefusal(json: string): string {
  const parsed: unknown = JSON.parse(json);
  return typeof parsed === 'object' && parsed !== null && 'failed' in parsed
    ? String(parsed.failed)
    : 'the source cannot be parsed';
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(transformed(String(workerData)));
