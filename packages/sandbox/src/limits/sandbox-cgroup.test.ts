import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ownerIdentity } from '../runtime/runtime-directory.ts';
import { SandboxCgroup } from './sandbox-cgroup.ts';

const LIMITS = { memoryBytes: 64 * 1024 * 1024, pids: 20 };

describe('SandboxCgroup', () => {
  test('a machine without the controllers is an error, unless the limits are not required', () => {
    assert.throws(() => SandboxCgroup.create('x', LIMITS, { required: true, hierarchies: [] }), {
      code: 'LIMITS_UNAVAILABLE',
    });
    assert.throws(
      () =>
        SandboxCgroup.create('x', LIMITS, {
          required: true,
          hierarchies: [{ version: 1, mountPoint: '/proc/nowhere', controllers: ['memory', 'pids'] }],
        }),
      { code: 'LIMITS_UNAVAILABLE' },
    );
    assert.doesNotThrow(() => SandboxCgroup.create('x', LIMITS, { required: false, hierarchies: [] }));
  });

  // This machine may have version 1 only: a plain directory shows which files version 2 is given.
  test('version 2: controllers are enabled on the way down, limits set on the sandbox', () => {
    const root = mkdtempSync(join(tmpdir(), 'assay-cgroup-'));
    try {
      writeFileSync(join(root, 'cgroup.subtree_control'), 'pids\n');
      mkdirSync(join(root, 'assay/name'), { recursive: true });
      SandboxCgroup.create('name', LIMITS, {
        required: true,
        hierarchies: [{ version: 2, mountPoint: root, controllers: ['memory', 'pids'] }],
      });
      const read = (path: string): string => readFileSync(join(root, path), 'utf8');
      assert.equal(read('cgroup.subtree_control'), '+memory');
      assert.equal(read('assay/cgroup.subtree_control'), '+memory +pids');
      assert.equal(read('assay/name/cgroup.subtree_control'), '+memory +pids');
      assert.deepEqual(
        [read('assay/name/memory.max'), read('assay/name/pids.max')],
        [String(LIMITS.memoryBytes), '20'],
      );
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  test(
    'a leaf kills its processes and no others, and all of it goes',
    { skip: process.getuid?.() === 0 ? false : 'needs root' },
    async () => {
      const group = SandboxCgroup.create(`${ownerIdentity()}-test`, LIMITS, { required: true });
      const [first, second] = [group.leaf(), group.leaf()];
      const start = (leaf: typeof first): ReturnType<typeof spawn> =>
        spawn('sh', ['-c', `for f; do echo 0 > "$f"; done; sleep 1000 & echo; wait`, 'sh', ...leaf.joinFiles], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
      const processes = [start(first), start(second)];
      try {
        for (const child of processes) if (child.stdout) await once(child.stdout, 'data');
        const ended = once(processes[0] ?? assert.fail(), 'exit');
        first.kill();
        assert.deepEqual(await ended, [null, 'SIGKILL']);
        assert.equal(processes[1]?.exitCode, null);
        assert.equal(second.outOfMemoryKills(), 0);
        await first.remove();
      } finally {
        await group.remove();
      }
      assert.deepEqual(
        group.paths.filter((path) => existsSync(path)),
        [],
      );
      if (processes[1]?.signalCode === null) await once(processes[1], 'exit');
      assert.equal(processes[1]?.signalCode, 'SIGKILL');
    },
  );
});
