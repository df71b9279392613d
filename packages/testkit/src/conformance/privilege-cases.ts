import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { sandboxOwner } from '@assay/sandbox';
import { output, withHostDirectory, withSandbox, type ConformanceCase } from './conformance-case.ts';

const MOUNT_SOMETHING = 'mkdir -p /tmp/m; mount -t tmpfs none /tmp/m && echo mounted';

export const PRIVILEGE_CASES: ConformanceCase[] = [
  {
    name: 'no capability is there to be used or won',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        const sets = await output(sandbox, 'grep -E "^Cap(Inh|Prm|Eff|Amb)" /proc/self/status | cut -f2 | sort -u');
        assert.equal(sets, '0000000000000000');
      }),
  },
  {
    name: 'nothing can be mounted, unless the seal `privileges` is off',
    run: async (provider) => {
      await withSandbox(provider, {}, async (sandbox) => {
        assert.equal((await sandbox.exec(MOUNT_SOMETHING)).stdout, '');
      });
      await withSandbox(provider, { unsealed: ['privileges'] }, async (sandbox) => {
        assert.equal((await sandbox.exec(MOUNT_SOMETHING)).stdout, 'mounted\n', 'control');
      });
    },
  },
  {
    name: 'as root: it may write in the root tree, not in the toolchain, and no capability comes with it',
    needs: ['user-namespace'],
    run: (provider) =>
      withSandbox(provider, { user: 'root' }, async (sandbox) => {
        assert.equal(
          await output(sandbox, 'id -un; echo $HOME; echo mark > /mark; mkdir /data /var/songs; cat /mark'),
          'root\n/root\nmark',
        );
        assert.equal(
          (await sandbox.exec('touch /usr/mark /usr/bin/mark; ls /usr/mark /usr/bin/mark; rm /usr/bin/id')).stdout,
          '',
        );
        assert.equal(
          await output(sandbox, 'grep -E "^Cap(Inh|Prm|Eff|Amb)" /proc/self/status | cut -f2 | sort -u'),
          '0000000000000000',
        );
        assert.equal(
          (
            await sandbox.exec(
              `${MOUNT_SOMETHING}; unshare --net echo net; chown 1 /mark && echo owner; mknod /sda b 8 0 && echo device`,
            )
          ).stdout,
          '',
        );
        // Rootless, all of the tree belongs to one user.
        if (sandboxOwner)
          assert.equal(
            (
              await sandbox.exec(
                'touch /etc/ld.so.preload && echo etc; mv /etc /old && echo moved; rm /lib && echo lib',
              )
            ).stdout,
            '',
          );
        await sandbox.writeFile('/top', 'written');
        assert.equal(await sandbox.readFile('/top'), 'written');
      }),
  },
  {
    name: 'a program with the setuid bit gives nothing',
    run: (provider) =>
      withHostDirectory(async (directory) => {
        const program = join(directory, 'id');
        copyFileSync('/usr/bin/id', program);
        chmodSync(program, 0o4755);
        chmodSync(directory, 0o755);
        if (sandboxOwner) {
          const outside = execFileSync(
            'setpriv',
            ['--reuid', String(sandboxOwner.uid), '--clear-groups', program, '-u'],
            { encoding: 'utf8' },
          );
          assert.equal(outside, '0\n', 'control: outside it makes root');
        }
        await withSandbox(
          provider,
          { mounts: [{ kind: 'read-only', source: program, target: '/opt/id' }] },
          async (sandbox) => {
            assert.equal(await output(sandbox, '/opt/id -u'), await output(sandbox, 'id -u'));
            assert.notEqual(await output(sandbox, 'id -u'), '0');
          },
        );
      }),
  },
  {
    name: 'new namespaces, devices and other roots cannot be had',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        const attempts = [
          'unshare --net true',
          'unshare --mount true',
          'mknod /tmp/sda b 8 0',
          'chroot / true',
          'hostname other',
          'chown 0:0 /workspace',
        ];
        const script = attempts.map((attempt) => `${attempt} 2>/dev/null && echo "${attempt}"`).join('\n');
        assert.equal((await sandbox.exec(script)).stdout, '');
      }),
  },
  {
    name: 'a new user namespace cannot be had',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        assert.equal((await sandbox.exec('unshare --user --map-root-user id -u')).stdout, '');
      }),
  },
  {
    name: 'devices are the harmless ones',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        const allowed = [
          'core',
          'fd',
          'full',
          'fuse',
          'mqueue',
          'net',
          'null',
          'ptmx',
          'pts',
          'random',
          'shm',
          'stderr',
          'stdin',
          'stdout',
          'tty',
          'urandom',
          'zero',
          'console',
        ];
        const there = (await output(sandbox, 'cd /dev && echo *')).split(' ');
        assert.deepEqual(
          there.filter((name) => !allowed.includes(name)),
          [],
        );
        await output(sandbox, 'echo x > /dev/null && head -c 8 /dev/urandom > /tmp/r');
      }),
  },
];
