import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cgroupHierarchies } from '../limits/cgroup-hierarchies.ts';
import { runtimeRoot } from './runtime-directory.ts';
import { SandboxUser, usersDirectory } from './sandbox-user.ts';
import { sweepStale } from './sweep-stale.ts';

const root = process.getuid?.() === 0;

interface Owner {
  child: ChildProcess;
  identity: string;
  holder: number;
  mark: string;
  /** The host's user of the sandbox that runs something. */
  uid: number;
}

/** A process with one idle sandbox and one that runs a daemon, marked so that it can be found on the host. */
async function startOwner(provider: string): Promise<Owner> {
  const index = fileURLToPath(new URL('../index.ts', import.meta.url));
  const mark = `1${Math.floor(Math.random() * 1e9)}`;
  const script = `
    import * as sandbox from ${JSON.stringify(index)};
    const { ownerIdentity } = await import(${JSON.stringify(fileURLToPath(new URL('runtime-directory.ts', import.meta.url)))});
    const provider = sandbox.${provider}();
    const [busy] = [await provider.create(), await provider.create()];
    busy.exec('(setsid sleep ${mark} &); touch ready; sleep ${mark}', { timeout: 600_000 }).catch(() => {});
    while ((await busy.exec('test -e ready')).exitCode !== 0);
    const holder = /\\/proc\\/(\\d+)/.exec(busy.hostView('/'))[1];
    const uid = busy.hostOwner?.uid ?? 0;
    console.log(JSON.stringify({ identity: ownerIdentity(), holder: Number(holder), uid }));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) {
    const { identity, holder, uid } = JSON.parse(line);
    return { child, identity, holder, mark, uid };
  }
  return assert.fail('the owner ended early');
}

function remains({ identity, mark }: Owner): string[] {
  const groups = cgroupHierarchies().flatMap(({ mountPoint }) => {
    const parent = join(mountPoint, 'assay');
    return existsSync(parent)
      ? readdirSync(parent)
          .filter((name) => name.startsWith(identity))
          .map((name) => join(parent, name))
      : [];
  });
  const processes = readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && commandLine(pid).includes(mark) && Number(pid) !== process.pid,
  );
  const directory = join(runtimeRoot(), identity);
  return [...groups, ...processes.map((pid) => `/proc/${pid}`), ...(existsSync(directory) ? [directory] : [])];
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Whether the id is taken, and what runs as it; the dead that nobody has buried yet do not. */
function useOf({ uid }: Owner): { taken: boolean; processes: string[] } {
  const processes = readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && userOf(pid) === uid && commandLine(pid) !== '',
  );
  return { taken: existsSync(join(usersDirectory(), String(uid))), processes };
}

function userOf(pid: string): number | null {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? null;
}

async function kill(owner: Owner): Promise<void> {
  const ended = once(owner.child, 'exit');
  owner.child.kill('SIGKILL');
  await ended;
}

const PROVIDERS = root ? ['bubblewrapProvider', 'runcProvider', 'runscProvider'] : ['bubblewrapProvider'];

describe('an owner that is killed at once', () => {
  for (const provider of PROVIDERS) {
    test(`leaves nothing behind: ${provider}`, async () => {
      const owner = await startOwner(provider);
      assert.notDeepEqual(remains(owner), [], 'control: there is something to be left behind');
      await sweepStale();
      assert.notDeepEqual(remains(owner), [], 'control: a living owner is left alone');
      await kill(owner);
      await sweepStale();
      for (let attempt = 0; attempt < 100 && remains(owner).length > 0; attempt++) await sleep(50);
      assert.deepEqual(remains(owner), []);
    });

    test(`leaves nothing behind after the next sweep, its holders killed as well: ${provider}`, async () => {
      const owner = await startOwner(provider);
      process.kill(owner.holder, 'SIGSTOP');
      await kill(owner);
      process.kill(owner.holder, 'SIGKILL');
      await sweepStale();
      for (let attempt = 0; attempt < 100 && remains(owner).length > 0; attempt++) await sleep(50);
      assert.deepEqual(remains(owner), []);
    });
  }
});

describe(
  "the user id of a killed owner's sandbox",
  { skip: root ? false : 'rootless sandboxes run as the caller' },
  () => {
    // gVisor's processes are not those of the user.
    for (const provider of ['bubblewrapProvider', 'runcProvider']) {
      test(`is free when all that ran as it is dead: ${provider}`, async () => {
        const owner = await startOwner(provider);
        await sweepStale();
        const before = useOf(owner);
        await kill(owner);
        assert.equal(before.taken, true);
        assert.notDeepEqual(before.processes, [], 'control: commands of the sandbox run as it');
        for (let attempt = 0; attempt < 100 && useOf(owner).taken; attempt++) {
          await sweepStale();
          await sleep(20);
        }
        assert.deepEqual(useOf(owner), { taken: false, processes: [] });
      });
    }

    for (const [who, offset] of [
      ['the user', 0],
      ['root', -1],
    ] as const) {
      test(`stays taken while a process of ${who} of that sandbox lives outside of its control group`, async () => {
        const owner = await startOwner('bubblewrapProvider');
        const id = String(owner.uid + offset);
        const escaped = spawn('setpriv', ['--reuid', id, '--regid', id, '--clear-groups', '--', 'sleep', '600']);
        try {
          while (userOf(String(escaped.pid)) !== owner.uid + offset) await sleep(10);
          await kill(owner);
          for (let attempt = 0; attempt < 3; attempt++) await sweepStale();
          assert.equal(useOf(owner).taken, true);
        } finally {
          const ended = once(escaped, 'exit');
          escaped.kill('SIGKILL');
          await ended;
        }
        for (let attempt = 0; attempt < 100 && useOf(owner).taken; attempt++) {
          await sweepStale();
          await sleep(20);
        }
        assert.equal(useOf(owner).taken, false);
      });
    }

    test("is nobody else's while it is taken", () => {
      const users = Array.from({ length: 1000 }, () => SandboxUser.take() ?? assert.fail());
      try {
        // Drawn without a look at what is taken, some of so many would be the same.
        assert.equal(new Set(users.map(({ uid }) => uid)).size, users.length);
      } finally {
        for (const user of users) user.release();
      }
    });
  },
);
