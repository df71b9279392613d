import { setTimeout as sleep } from 'node:timers/promises';
import { queueOfParent } from './shared-queue.fixture.ts';
import { workQueue } from './work-queue.ts';

// Started by a test: `quick` finishes each order at once, `stuck` none.
const [speed, leaseMs] = process.argv.slice(2);

await workQueue(
  queueOfParent(),
  { parallel: 2, name: ({ id }) => id, leaseMs: Number(leaseMs), pollMs: 20 },
  async ({ id }) => {
    process.send?.({ took: id });
    if (speed === 'stuck') await sleep(2 ** 30);
  },
);
process.exit(0);
