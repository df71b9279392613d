import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { assertExit, eventually, output, withSandbox, type ConformanceCase } from './conformance-case.ts';

const MIB = 1024 * 1024;

/** Fills one buffer of that many MiB and prints `filled`. */
const fillBuffer = (mebibytes: number): string =>
  `dd if=/dev/zero of=/dev/null bs=${mebibytes}M count=1 2>/dev/null && echo filled`;
/** Stops at the first thousand that does not fit. */
const MAKE_20000_FILES = `seq 1 20000 | xargs -n 1000 sh -c 'touch "$@" || exit 255' sh`;
/** Starts 150 processes that stay, and counts those that could be started. */
const START_150 = 'n=0; while [ $n -lt 150 ]; do sleep 1000 & n=$((n+1)); done; echo started';

export const LIMITS_CASES: ConformanceCase[] = [
  {
    name: 'memory over the limit ends the command with 137, marked; a larger limit lets it through',
    run: async (provider) => {
      await withSandbox(provider, { limits: { memoryBytes: 120 * MIB } }, async (sandbox) => {
        const result = await sandbox.exec(fillBuffer(200));
        assert.deepEqual([result.exitCode, result.outOfMemory], [137, true], result.stderr);
        const after = await sandbox.exec('echo alive');
        assert.deepEqual([after.stdout, after.exitCode, after.outOfMemory], ['alive\n', 0, false]);
      });
      await withSandbox(provider, { limits: { memoryBytes: 2048 * MIB } }, async (sandbox) => {
        assert.equal(await output(sandbox, fillBuffer(200)), 'filled');
      });
    },
  },
  {
    name: 'the memory of all processes counts together',
    run: (provider) =>
      withSandbox(provider, { limits: { memoryBytes: 200 * MIB } }, async (sandbox) => {
        // Each keeps its full buffer, as nobody reads it, until all have theirs.
        const result = await sandbox.exec(
          'for i in 1 2 3 4 5 6; do (dd if=/dev/zero bs=60M count=1 2>/dev/null | sleep 2) & done; wait',
        );
        assert.equal(result.outOfMemory, true);
      }),
  },
  {
    name: 'the seal `limits` widens them, not more',
    run: async (provider) => {
      const limits = { memoryBytes: 100 * MIB };
      await withSandbox(provider, { limits, unsealed: ['limits'] }, async (sandbox) => {
        assert.equal(await output(sandbox, fillBuffer(200)), 'filled');
        const result = await sandbox.exec(fillBuffer(480));
        assert.equal(result.outOfMemory, true);
      });
    },
  },
  {
    name: 'processes are limited; a larger limit lets them through',
    run: async (provider) => {
      await withSandbox(provider, { limits: { pids: 100 } }, async (sandbox) => {
        const result = await sandbox.exec(START_150, { timeout: 30_000 });
        assert.notEqual(result.stdout, 'started\n');
        assert.notEqual(result.exitCode, 0);
      });
      await withSandbox(provider, { limits: { pids: 1000 } }, async (sandbox) => {
        assert.equal(await output(sandbox, START_150), 'started');
      });
    },
  },
  {
    name: 'a fork bomb ends with the command',
    run: (provider) =>
      withSandbox(provider, { limits: { pids: 100 } }, async (sandbox) => {
        const result = await sandbox.exec('bomb() { bomb | bomb & }; bomb; sleep 1000', { timeout: 1500 });
        assert.notEqual(result.exitCode, 0);
        assertExit(await sandbox.exec('true'), 0);
      }),
  },
  {
    name: 'everything that is written counts against the disk limit; a larger limit lets it through',
    run: async (provider) => {
      const write =
        'for d in /workspace /tmp /home/user /var/tmp /dev/shm; do head -c 12m /dev/zero > $d/filled || exit 9; done';
      await withSandbox(provider, { limits: { diskBytes: 40 * MIB } }, async (sandbox) => {
        const result = await sandbox.exec(write);
        assertExit(result, 9);
        assert.match(result.stderr, /No space left/);
        assertExit(await sandbox.exec('rm /workspace/filled; echo x > /workspace/y'), 0);
      });
      await withSandbox(provider, { limits: { diskBytes: 100 * MIB } }, async (sandbox) => {
        assertExit(await sandbox.exec(write), 0);
      });
    },
  },
  {
    name: 'the number of files is limited; a full disk does not keep the next commands from running',
    run: (provider) =>
      withSandbox(provider, { limits: { diskBytes: 8 * MIB } }, async (sandbox) => {
        const many = await sandbox.exec(MAKE_20000_FILES);
        assert.notEqual(many.exitCode, 0);
        assert.match(many.stderr, /No space left/);
        await sandbox.exec('head -c 20m /dev/zero > filled');
        await assert.rejects(sandbox.exec('sleep 1000', { signal: AbortSignal.timeout(300) }), { code: 'INTERRUPTED' });
        const results = await Promise.all([1, 2, 3].map((number) => sandbox.exec(`echo ${number}`, { stdin: 'x' })));
        assert.deepEqual(
          results.map(({ stdout }) => stdout),
          ['1\n', '2\n', '3\n'],
        );
      }),
  },
  {
    name: "a command that finds no process left is the sandbox's own failure",
    needs: ['host-view'],
    run: (provider) =>
      withSandbox(provider, { limits: { pids: 60 } }, async (sandbox) => {
        const hog = sandbox.exec('n=0; while [ $n -lt 57 ]; do sleep 1000 & n=$((n+1)); done; : > full; wait', {
          timeout: 5000,
        });
        const full = sandbox.hostView?.('full') ?? assert.fail('only providers with a stage run this');
        await eventually('the processes are taken', () => existsSync(full));
        assert.notEqual((await sandbox.exec('true & true & true & wait; exit 1')).exitCode, 0);
        await hog;
        assertExit(await sandbox.exec('true'), 0);
      }),
  },
  {
    name: 'a layer cannot be filled past the disk limit either',
    needs: ['layers'],
    run: (provider) =>
      withSandbox(
        provider,
        { limits: { diskBytes: 20 * MIB }, mounts: [{ kind: 'layers', sources: [], target: '/data' }] },
        async (sandbox) => {
          assertExit(await sandbox.exec('head -c 10m /dev/zero > /data/a'), 0);
          assert.notEqual((await sandbox.exec('head -c 15m /dev/zero > /data/b')).exitCode, 0);
        },
      ),
  },
];
