import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostMounts, isWithin, lockedMounts } from './host-mounts.ts';

const MOUNT_INFO = [
  '20 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda rw',
  '21 20 0:20 / /usr ro,nosuid,noatime - ext4 /dev/sdb ro',
  '22 21 0:21 / /usr/bin rw,relatime - tmpfs tmpfs rw',
  '23 20 0:22 / /a\\040b rw - tmpfs tmpfs rw',
  '24 20 0:23 / /usr/no-such-directory rw - tmpfs tmpfs rw',
].join('\n');

test('mount points are read with their flags', () => {
  assert.deepEqual(hostMounts(MOUNT_INFO)[3], { mountPoint: '/a b', type: 'tmpfs', options: ['rw'] });
});

test('a directory is bound with what is mounted in it, each with its own flags', () => {
  assert.deepEqual(lockedMounts('/usr', hostMounts(MOUNT_INFO)), [
    { path: '/usr', flags: ['ro', 'nosuid', 'noatime'] },
    { path: '/usr/bin', flags: ['relatime'] },
  ]);
  assert.deepEqual(lockedMounts('/usr/lib', hostMounts(MOUNT_INFO)), [
    { path: '/usr/lib', flags: ['ro', 'nosuid', 'noatime'] },
  ]);
});

test('a name that only begins alike is not within', () => {
  assert.deepEqual(
    [isWithin('/usrx', '/usr'), isWithin('/usr/x', '/usr'), isWithin('/usr', '/usr'), isWithin('/x', '/')],
    [false, true, true, true],
  );
});
