import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cgroupHierarchies } from './cgroup-hierarchies.ts';

test('reads version 1 hierarchies with the controllers that limit', () => {
  const mountInfo = [
    '30 25 0:26 / /sys/fs/cgroup rw shared:4 - tmpfs tmpfs rw',
    '31 30 0:27 / /sys/fs/cgroup/memory rw,nosuid shared:5 - cgroup cgroup rw,memory',
    '32 30 0:28 / /sys/fs/cgroup/cpu\\040set rw,nosuid - cgroup cgroup rw,cpuset,clone_children',
    '33 30 0:29 / /sys/fs/cgroup/pids rw,nosuid - cgroup cgroup rw,pids',
    '',
  ].join('\n');
  assert.deepEqual(cgroupHierarchies(mountInfo), [
    { version: 1, mountPoint: '/sys/fs/cgroup/memory', controllers: ['memory'] },
    { version: 1, mountPoint: '/sys/fs/cgroup/cpu set', controllers: [] },
    { version: 1, mountPoint: '/sys/fs/cgroup/pids', controllers: ['pids'] },
  ]);
});

test('a unified hierarchy without readable controllers has none', () => {
  assert.deepEqual(cgroupHierarchies('30 25 0:26 / /no/such/place rw - cgroup2 cgroup2 rw\n'), [
    { version: 2, mountPoint: '/no/such/place', controllers: [] },
  ]);
});
