import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import type { Sandbox, SandboxProvider } from '@assay/sandbox';
import { assertExit, eventually, withHostDirectory, withSandbox, type ConformanceCase } from './conformance-case.ts';

/** Leaves the session, the process group and the parent, then writes a mark on the host as long as it lives. */
const DAEMON = '(setsid sh -c \'trap "" TERM HUP INT; (while :; do echo x >> /mnt/marks; sleep 0.1; done) &\' &)';

/** Gives `use` a sandbox in which {@link DAEMON} works, and a function that counts its marks. */
function withMarks(
  provider: SandboxProvider,
  use: (sandbox: Sandbox, marks: () => number) => Promise<void>,
): Promise<void> {
  return withHostDirectory((directory) => {
    const path = join(directory, 'marks');
    const marks = (): number => (existsSync(path) ? readFileSync(path, 'utf8').length : 0);
    return withSandbox(provider, { mounts: [{ kind: 'writable', source: directory, target: '/mnt' }] }, (sandbox) =>
      use(sandbox, marks),
    );
  });
}

/** The daemon must have lived, and must not write any more. */
async function assertDead(marks: () => number): Promise<void> {
  const before = marks();
  assert.ok(before > 0, 'control: the daemon wrote while it was allowed to');
  await sleep(600);
  assert.equal(marks(), before, 'the daemon still writes');
}

const WAIT_FOR_MARK = 'while ! [ -s /mnt/marks ]; do sleep 0.05; done';

/** Command lines of all processes of the host. */
function hostCommandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    });
}

export const LIFETIME_CASES: ConformanceCase[] = [
  {
    name: 'a time-out ends a command with 124',
    run: (provider) =>
      withSandbox(provider, { timeout: 10_000 }, async (sandbox) => {
        const result = await sandbox.exec('echo before; sleep 1000');
        assert.deepEqual([result.stdout, result.exitCode, result.timedOut], ['before\n', 124, true]);
        assertExit(await sandbox.exec('sleep 1', { timeout: 60_000 }), 0);
      }),
  },
  {
    name: 'a time-out kills the whole tree, after setsid and a double fork, too',
    needs: ['host-mounts', 'exec-lifetime'],
    run: (provider) =>
      withMarks(provider, async (sandbox, marks) => {
        const result = await sandbox.exec(`${DAEMON}; ${WAIT_FOR_MARK}; sleep 1000`, { timeout: 3000 });
        assertExit(result, 124);
        await assertDead(marks);
      }),
  },
  {
    name: 'nothing that a command started outlives it',
    needs: ['host-mounts', 'exec-lifetime'],
    run: (provider) =>
      withMarks(provider, async (sandbox, marks) => {
        assertExit(await sandbox.exec(`${DAEMON}; ${WAIT_FOR_MARK}; exit 5`), 5);
        await assertDead(marks);
      }),
  },
  {
    name: 'an abort kills the whole tree and rejects',
    needs: ['host-mounts', 'exec-lifetime'],
    run: (provider) =>
      withMarks(provider, async (sandbox, marks) => {
        const abort = new AbortController();
        const run = sandbox.exec(`${DAEMON}; sleep 1000`, { signal: abort.signal });
        const rejected = assert.rejects(run, { code: 'INTERRUPTED' });
        await eventually('the daemon writes', () => marks() > 0);
        abort.abort();
        await rejected;
        await assertDead(marks);
        await assert.rejects(sandbox.exec('true', { signal: AbortSignal.abort() }), { code: 'INTERRUPTED' });
        assertExit(await sandbox.exec('true'), 0);
      }),
  },
  {
    name: 'destroying kills what runs, twice is no error, and nothing can be done after it',
    needs: ['host-mounts', 'exec-lifetime'],
    run: (provider) =>
      withMarks(provider, async (sandbox, marks) => {
        const secret = String(randomInt(1_000_000, 9_999_999));
        const run = sandbox.exec(`${DAEMON}; sleep 1${secret}`);
        const rejected = assert.rejects(run, { code: 'SANDBOX_GONE' });
        await eventually('the daemon writes', () => marks() > 0);
        const view = sandbox.hostView?.('/workspace');
        await Promise.all([sandbox.destroy(), provider.destroy(sandbox.id)]);
        await sandbox.destroy();
        await rejected;
        await assertDead(marks);
        assert.deepEqual(
          hostCommandLines().filter((line) => line.includes(secret)),
          [],
        );
        assert.equal(view !== undefined && existsSync(view), false);
        await assert.rejects(sandbox.exec('true'), { code: 'SANDBOX_GONE' });
        await assert.rejects(sandbox.writeFile('x', ''), { code: 'SANDBOX_GONE' });
        await provider.destroy('no-such-sandbox');
      }),
  },
  {
    name: 'the signal given to create destroys the sandbox',
    run: async (provider) => {
      const abort = new AbortController();
      const sandbox = await provider.create({ signal: abort.signal });
      const rejected = assert.rejects(sandbox.exec('sleep 1000'), { code: 'SANDBOX_GONE' });
      abort.abort();
      await rejected;
      await sandbox.destroy();
      await assert.rejects(provider.create({ signal: abort.signal }), { code: 'INTERRUPTED' });
    },
  },
  {
    name: 'orphans are reaped while a command runs',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        const script =
          'for i in 1 2 3 4 5; do (sh -c "true &" &); done; n=0; while sleep 0.2; cat /proc/[0-9]*/status | grep -q "^State:.*Z"; do n=$((n+1)); [ $n -lt 200 ] || exit 9; done';
        assertExit(await sandbox.exec(script), 0);
      }),
  },
];
