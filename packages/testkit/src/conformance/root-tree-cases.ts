import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { assertExit, output, withHostDirectory, withSandbox, type ConformanceCase } from './conformance-case.ts';

const PROGRAMS = ['sh', 'env', 'cat', 'head', 'mkdir', 'id', 'true'];

/** A small system: some programs of this machine with the libraries that they need, and an /etc of its own. */
function makeTree(root: string): string {
  for (const directory of ['usr/bin', 'etc/own', 'srv', 'var', 'lib'])
    mkdirSync(join(root, directory), { recursive: true });
  chmodSync(root, 0o755);
  symlinkSync('usr/bin', join(root, 'bin'));
  for (const name of PROGRAMS) {
    const program = realpathSync(
      execFileSync('/bin/sh', ['-c', 'command -v "$0"', name === 'true' ? '/bin/true' : name], {
        encoding: 'utf8',
      }).trim(),
    );
    copyFileSync(program, join(root, 'usr/bin', name));
    const libraries = execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/(?:=> )?(\/\S+) \(0x/g);
    for (const [, library = ''] of libraries) {
      mkdirSync(join(root, dirname(library)), { recursive: true });
      if (!existsSync(join(root, library))) copyFileSync(library, join(root, library));
    }
  }
  writeFileSync(join(root, 'etc/own/file'), 'of the tree');
  writeFileSync(join(root, 'etc/passwd'), 'stranger:x:1:1::/:/bin/sh\n');
  symlinkSync('/etc/hostname', join(root, 'etc/resolv.conf'));
  writeFileSync(join(root, 'srv/file'), 'served');
  return root;
}

function listing(root: string): string[] {
  return readdirSync(root, { recursive: true }).map(String).toSorted();
}

export const ROOT_TREE_CASES: ConformanceCase[] = [
  {
    name: 'a directory of the host can be the system, instead of the one of this machine',
    run: (provider) =>
      withHostDirectory(async (directory) => {
        const root = makeTree(join(directory, 'tree'));
        await withSandbox(provider, { root }, async (sandbox) => {
          assert.equal(
            await output(sandbox, 'cat /srv/file /etc/own/file; echo; id -un; pwd; echo $HOME; cd /usr/bin && echo *'),
            `servedof the tree\nuser\n/workspace\n/home/user\n${PROGRAMS.toSorted().join(' ')}`,
          );
          assert.equal(
            await sandbox
              .exec('python3 --version; perl -v; cat /usr/share/perl5/* /usr/lib/os-release')
              .then(({ stdout }) => stdout),
            '',
          );
          await sandbox.writeFile('/tmp/a/b', 'x');
          assert.equal(await sandbox.readFile('/tmp/a/b'), 'x');
          assertExit(
            await sandbox.exec('for d in /tmp /var/tmp /home/user /workspace /dev/shm; do echo x > $d/x || exit; done'),
            0,
          );
        });
      }),
  },
  {
    name: 'the tree stays as it is, and its system part is read-only inside',
    needs: ['isolation'],
    run: (provider) =>
      withHostDirectory(async (directory) => {
        const root = makeTree(join(directory, 'tree'));
        const before = listing(root);
        await withSandbox(provider, { root }, async (sandbox) => {
          const result = await sandbox.exec(
            'for f in /x /usr/x /usr/bin/x /usr/bin/cat /bin/x /etc/x /etc/passwd /etc/own/file /srv/file /run/x; do (echo x > $f) 2>/dev/null && echo $f; done; cat /etc/passwd /etc/resolv.conf',
          );
          assert.match(result.stdout, /^root:x:0:0:.*\nuser:x:1000:1000:.*\nnobody:.*\n$/);
        });
        assert.deepEqual(listing(root), before);
        assert.equal(readFileSync(join(root, 'etc/passwd'), 'utf8'), 'stranger:x:1:1::/:/bin/sh\n');
        await withSandbox(provider, { root }, async (sandbox) => {
          assert.equal(
            await output(sandbox, 'echo /workspace/* /tmp/* /home/user/*'),
            '/workspace/* /tmp/* /home/user/*',
          );
        });
      }),
  },
  {
    name: 'layers and hidden mounts lie over the tree',
    needs: ['layers'],
    run: (provider) =>
      withHostDirectory(async (directory) => {
        const root = makeTree(join(directory, 'tree'));
        const layer = join(directory, 'layer');
        mkdirSync(layer);
        writeFileSync(join(layer, 'app'), 'app');
        const mounts = [
          { kind: 'layers' as const, sources: [layer], target: '/app' },
          { kind: 'hidden' as const, target: '/srv' },
          { kind: 'read-only' as const, source: layer, target: '/usr/layer' },
        ];
        await withSandbox(provider, { root, mounts }, async (sandbox) => {
          assert.equal(await output(sandbox, 'cat /app/app /usr/layer/app; echo /srv/*'), 'appapp/srv/*');
        });
      }),
  },
  {
    name: 'a tree that is the host, not there, or has links where directories belong is refused',
    run: (provider) =>
      withHostDirectory(async (directory) => {
        writeFileSync(join(directory, 'file'), '');
        mkdirSync(join(directory, 'linked'));
        symlinkSync(directory, join(directory, 'linked/etc'));
        for (const root of [
          '/',
          '/usr/..',
          'relative',
          join(directory, 'missing'),
          join(directory, 'file'),
          join(directory, 'linked'),
        ]) {
          await assert.rejects(provider.create({ root }), { code: 'BAD_OPTION' }, root);
        }
        assert.deepEqual(readdirSync(directory), ['file', 'linked']);
      }),
  },
];
