import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { availableMemory } from './available-memory.ts';

const MIB = 1024 * 1024;
const V2 = '29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n';
const V1 =
  '30 23 0:27 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n31 23 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n';

/** A machine with 8000 MiB to be had, and the files that are given. */
function machine(t: TestContext, files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'assay-memory-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries({
    'proc/meminfo': `MemTotal: 16384000 kB\nMemFree: 1024 kB\nMemAvailable:    ${8000 * 1024} kB\n`,
    ...files,
  })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

test('of this machine something, and not more than it has', () => {
  const bytes = availableMemory();
  assert.ok(bytes > 0 && bytes <= totalmem(), `${bytes}`);
});

test('what the kernel says is available, not what is free', (t) => {
  assert.equal(availableMemory(machine(t, {})), 8000 * MIB);
});

test('version 2: the least that a group or one above has left; its cache of files can be given back', (t) => {
  const group = 'sys/fs/cgroup/user.slice/job.scope';
  const files = {
    'proc/self/mountinfo': V2,
    'proc/self/cgroup': '0::/user.slice/job.scope\n',
    [`${group}/memory.max`]: 'max\n',
    [`${group}/memory.current`]: `${100 * MIB}\n`,
    'sys/fs/cgroup/user.slice/memory.max': `${4000 * MIB}\n`,
    'sys/fs/cgroup/user.slice/memory.current': `${3000 * MIB}\n`,
    'sys/fs/cgroup/user.slice/memory.stat': `anon 5\nworkingset_inactive_file 7\ninactive_file ${500 * MIB}\n`,
  };
  assert.equal(availableMemory(machine(t, files)), 1500 * MIB);
  assert.equal(availableMemory(machine(t, { ...files, [`${group}/memory.max`]: `${300 * MIB}\n` })), 200 * MIB);
  assert.equal(
    availableMemory(machine(t, { ...files, [`${group}/memory.max`]: `${50 * MIB}\n` })),
    0,
    'a group may be above its limit for a moment',
  );
});

test('version 1: the group of the memory controller', (t) => {
  const files = {
    'proc/self/mountinfo': V1,
    'proc/self/cgroup': '5:pids:/elsewhere\n4:cpu,memory:/job\n0::/\n',
    'sys/fs/cgroup/memory/job/memory.limit_in_bytes': `${2000 * MIB}\n`,
    'sys/fs/cgroup/memory/job/memory.usage_in_bytes': `${500 * MIB}\n`,
    'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
    'sys/fs/cgroup/memory/memory.usage_in_bytes': `${9000 * MIB}\n`,
  };
  assert.equal(availableMemory(machine(t, files)), 1500 * MIB);
});

test('in a container, whose part of the hierarchy is all that is mounted', (t) => {
  const limits = { 'sys/fs/cgroup/memory.max': `${1000 * MIB}\n`, 'sys/fs/cgroup/memory.current': `${400 * MIB}\n` };
  assert.equal(
    availableMemory(machine(t, { ...limits, 'proc/self/mountinfo': V2, 'proc/self/cgroup': '0::/\n' })),
    600 * MIB,
    'with a namespace of its own',
  );
  const mountinfo = V2.replace(' / /sys', ' /docker/abc /sys');
  assert.equal(
    availableMemory(
      machine(t, { ...limits, 'proc/self/mountinfo': mountinfo, 'proc/self/cgroup': '0::/docker/abc\n' }),
    ),
    600 * MIB,
    'without',
  );
});
