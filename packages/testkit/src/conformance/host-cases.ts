import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { assertExit, output, withHostDirectory, withSandbox, type ConformanceCase } from './conformance-case.ts';

export const HOST_CASES: ConformanceCase[] = [
  {
    name: 'files of the host are not there, unless the seal `host-files` is off',
    run: (provider) =>
      withHostDirectory(async (directory) => {
        const marker = join(directory, 'marker');
        writeFileSync(marker, 'host', { mode: 0o644 });
        chmodSync(directory, 0o755);
        await withSandbox(provider, {}, async (sandbox) => {
          assertExit(await sandbox.exec(`cat ${marker}`), 1);
          assert.equal(
            await output(
              sandbox,
              'for f in /host /run/docker.sock /var/run/docker.sock; do [ -e $f ] && echo $f; done; true',
            ),
            '',
          );
        });
        await withSandbox(provider, { unsealed: ['host-files'] }, async (sandbox) => {
          assert.equal(await output(sandbox, `cat /host${marker}`), 'host', 'control');
          assertExit(await sandbox.exec(`echo x > /host${marker}`), 2);
        });
      }),
  },
  {
    name: "of the host's system only the toolchain is there",
    needs: ['host-toolchain'],
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        assert.equal(
          await output(
            sandbox,
            'for f in /etc/shadow /etc/ssh /etc/machine-id /boot /var/lib/dpkg /var/log; do [ -e $f ] && echo $f; done; true',
          ),
          '',
        );
        assert.equal(
          await output(sandbox, 'echo /home/* /root/* /run/* /mnt/* /srv/* /media/*'),
          '/home/user /root/* /run/* /mnt/* /srv/* /media/*',
        );
      }),
  },
  {
    name: 'what the host installed beside its system is masked, unless the seal `host-files` is off',
    needs: ['host-toolchain'],
    run: async (provider) => {
      // Every Debian has documentation.
      const count =
        'echo /usr/local/* /usr/share/doc/* /usr/lib/python3/dist-packages/* /usr/lib/node_modules/* | wc -w';
      assert.equal(await withSandbox(provider, {}, (sandbox) => output(sandbox, count)), '4');
      const open = await withSandbox(provider, { unsealed: ['host-files'] }, (sandbox) => output(sandbox, count));
      assert.ok(Number(open) > 4, `control: ${open}`);
    },
  },
  {
    name: 'names are neutral',
    run: async (provider) => {
      await withSandbox(provider, {}, async (sandbox) => {
        assert.equal(
          await output(sandbox, 'cat /proc/sys/kernel/hostname; cat /etc/hostname; id -un; id -gn; echo ~'),
          'sandbox\nsandbox\nuser\nuser\n/home/user',
        );
        assert.equal(
          await output(sandbox, `grep -c "${hostname()}" /etc/hosts /etc/hostname | grep -v ":0$" || true`),
          '',
        );
      });
      await withSandbox(provider, { hostname: 'box' }, async (sandbox) => {
        assert.equal(await output(sandbox, 'cat /proc/sys/kernel/hostname'), 'box');
      });
    },
  },
  {
    name: 'the user has the id 1000',
    needs: ['user-namespace'],
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        assert.equal(await output(sandbox, 'id -u; id -g'), '1000\n1000');
      }),
  },
  {
    name: '/proc shows the processes of this command only, and no path of the host',
    run: (provider) =>
      withSandbox(provider, { env: { PRIVATE: 'of the sandbox' } }, async (sandbox) => {
        const pids = await output(sandbox, 'cd /proc && echo [0-9]*');
        assert.ok(pids.split(' ').length <= 6, pids);
        // The brackets keep the search from finding itself.
        const leaks = await sandbox.exec(
          'cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n" | grep -e "/run/[a]ssay" -e "[n]senter" -e "cgroup[.]procs"',
        );
        assert.equal(leaks.stdout, '');
      }),
  },
];
