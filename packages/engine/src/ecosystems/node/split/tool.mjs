/*
 * Splits the tests of a JavaScript repository; see `ecosystems/split-facet.ts`. Reads its request from the file that its
 * last argument names, `-` for standard input, and writes the answer on standard output. Runs nothing of a submission.
 */
import { readFileSync, writeSync } from 'node:fs';
import { readFirstLine } from './first-line.mjs';

const MODES = {
  rewrite: async (request) => (await import('./rewrite.mjs')).rewrite(request),
  evaluate: async (request) => (await import('./evaluate.mjs')).evaluateRun(request),
  battery: async (request) => (await import('./battery.mjs')).guess(request),
  control: async (request) => (await import('./control.mjs')).makeControl(request),
  tell: async (request) => (await import('./tell.mjs')).tell(request),
  told: async (request) => (await import('./told.mjs')).told(request),
};

process.env.TZ = 'UTC';
const bytes = Buffer.from(JSON.stringify(await answer(process.argv.at(-1))));
for (let done = 0; done < bytes.length;) {
  try {
    done += writeSync(1, bytes, done);
  } catch (error) {
    if (error.code !== 'EAGAIN') throw error;
  }
}

async function answer(place) {
  if (place !== '-') return ask(JSON.parse(readFileSync(place, 'utf8')));
  const { line, rest } = readFirstLine(0);
  // What was observed comes after the request, perhaps much later.
  return ask({ ...JSON.parse(line), observations: { descriptor: 0, rest } });
}

function ask(request) {
  return MODES[request.mode](request);
}
