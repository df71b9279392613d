import assert from 'node:assert/strict';
import type { Sandbox, SandboxUsage } from '@assay/sandbox';
import {
  assertExit,
  eventually,
  NODE,
  NODE_MOUNT,
  output,
  withSandbox,
  type ConformanceCase,
} from './conformance-case.ts';

const MIB = 1024 * 1024;

async function usageOf(sandbox: Sandbox): Promise<SandboxUsage> {
  assert.ok(sandbox.usage, 'only providers that have it run this');
  return sandbox.usage();
}

export const USAGE_CASES: ConformanceCase[] = [
  {
    name: 'the memory of a running command is seen from outside, and is given back',
    run: (provider) =>
      withSandbox(provider, { mounts: [NODE_MOUNT] }, async (sandbox) => {
        const before = await usageOf(sandbox);
        const script =
          'const kept = Buffer.alloc(150 * 1024 * 1024, 1); require("fs").writeFileSync("/tmp/ready", ""); setInterval(() => { if (require("fs").existsSync("/tmp/stop")) process.exit(kept.length > 0 ? 0 : 1); }, 20);';
        const run = sandbox.exec('', { argv: [NODE, '-e', script] });
        await eventually('it has its memory', async () => (await sandbox.exec('test -e /tmp/ready')).exitCode === 0);
        const during = await usageOf(sandbox);
        assert.ok(during.memoryBytes > before.memoryBytes + 150 * MIB, JSON.stringify({ before, during }));
        assert.ok(during.memoryBytes < before.memoryBytes + 400 * MIB, JSON.stringify({ before, during }));
        assert.equal(during.exact, provider.limits === 'full');
        if (during.exact)
          assert.ok(during.peakMemoryBytes !== null && during.peakMemoryBytes >= 150 * MIB, JSON.stringify(during));
        await sandbox.writeFile('/tmp/stop', '');
        assertExit(await run, 0);
        const after = await usageOf(sandbox);
        assert.ok(after.memoryBytes < during.memoryBytes - 100 * MIB, JSON.stringify({ during, after }));
      }),
  },
  {
    name: 'processes of running commands are counted, those that left their session, too',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        const counted = (await usageOf(sandbox)).processes;
        if (counted === null) return;
        assert.equal(counted, 0);
        const run = sandbox.exec(
          'for i in 1 2 3 4 5; do (setsid sleep 1000 &); done; echo > ready; while ! [ -e stop ]; do sleep 0.05; done',
        );
        await eventually('it runs', async () => (await sandbox.kindOf?.('ready')) === 'file');
        const { processes } = await usageOf(sandbox);
        // The shell, and the sleep that it may be at.
        assert.ok(processes !== null && processes >= 6 && processes <= 8, String(processes));
        await sandbox.writeFile('stop', '');
        assertExit(await run, 0);
        assert.equal((await usageOf(sandbox)).processes, 0);
      }),
  },
  {
    name: 'what was written counts, in closed directories and deleted files that are open, too',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        const before = (await usageOf(sandbox)).diskBytes;
        await output(
          sandbox,
          'mkdir closed && head -c 20m /dev/zero > closed/big && chmod 0 closed && head -c 10m /dev/zero > /tmp/b && head -c 10m /dev/zero > /dev/shm/c && truncate -s 1T hole',
        );
        const after = (await usageOf(sandbox)).diskBytes;
        assert.ok(after - before >= 40 * MIB && after - before < 42 * MIB, String(after - before));
        const run = sandbox.exec(
          'head -c 20m /dev/zero > /tmp/open; exec 3< /tmp/open; rm /tmp/open; echo > ready; while ! [ -e stop ]; do sleep 0.05; done',
        );
        await eventually('it is deleted', async () => (await sandbox.kindOf?.('ready')) === 'file');
        const deleted = (await usageOf(sandbox)).diskBytes;
        assert.ok(deleted - after >= 20 * MIB, String(deleted - after));
        await sandbox.writeFile('stop', '');
        await run;
      }),
  },
];
