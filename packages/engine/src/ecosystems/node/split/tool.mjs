/*
 * Splits the tests of a JavaScript repository; see `ecosystems/split-facet.ts`. Reads its request from the file that its
 * last argument names, and writes the answer on standard output. Runs nothing of a submission.
 */
import { readFileSync, writeSync } from 'node:fs';

const MODES = {
  rewrite: async (request) => (await import('./rewrite.mjs')).rewrite(request),
  evaluate: async (request) => (await import('./evaluate.mjs')).evaluateRun(request),
  battery: async (request) => (await import('./battery.mjs')).guess(request),
  control: async (request) => (await import('./control.mjs')).makeControl(request),
};

process.env.TZ = 'UTC';
const request = JSON.parse(readFileSync(process.argv.at(-1), 'utf8'));
const bytes = Buffer.from(JSON.stringify(await MODES[request.mode](request)));
for (let done = 0; done < bytes.length;) {
  try {
    done += writeSync(1, bytes, done);
  } catch (error) {
    if (error.code !== 'EAGAIN') throw error;
  }
}
