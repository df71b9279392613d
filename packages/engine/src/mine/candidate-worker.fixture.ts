import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CandidateOrder } from '@assay/protocol';
import { candidateWorker } from './candidate-worker.ts';
import { importedRows } from './pipelines/imported-rows.fixture.ts';
import { registerPipeline } from './pipelines/index.ts';

// Started by a test: `CACHE OUT`, with an order on the standard input. Its bundle goes to OUT, its end to the output.
const [cacheDirectory = '', out = ''] = process.argv.slice(2);
registerPipeline(importedRows);

const worker = candidateWorker({
  cacheDirectory,
  dataset: {
    place: async (bundle, { task }) => {
      await cp(bundle, join(out, task), { recursive: true });
      return true;
    },
  },
});
const order = CandidateOrder.parse(JSON.parse(await text(process.stdin)));
process.stdout.write(JSON.stringify(await worker.run(order)));
await worker.close();
