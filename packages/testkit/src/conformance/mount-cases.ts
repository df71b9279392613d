import assert from 'node:assert/strict';
import { chownSync, lchownSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sandboxOwner, type Mount } from '@assay/sandbox';
import { assertExit, output, withHostDirectory, withSandbox, type ConformanceCase } from './conformance-case.ts';

/** Writes files (or, for a value beginning `->`, links), all belonging to the user of the sandbox. */
function plant(directory: string, files: Record<string, string>): string {
  mkdirSync(directory, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    if (content.startsWith('->')) symlinkSync(content.slice(2), path);
    else writeFileSync(path, content);
    if (sandboxOwner) lchownSync(path, sandboxOwner.uid, sandboxOwner.gid);
    if (sandboxOwner) chownSync(dirname(path), sandboxOwner.uid, sandboxOwner.gid);
  }
  if (sandboxOwner) chownSync(directory, sandboxOwner.uid, sandboxOwner.gid);
  return directory;
}

export const MOUNT_CASES: ConformanceCase[] = [
  {
    name: 'layers lie on top of each other, can be changed, and their sources stay as they are',
    needs: ['layers'],
    run: (provider) =>
      withHostDirectory(async (directory) => {
        const upper = plant(join(directory, 'upper'), { both: 'upper', 'dir/a': 'A' });
        const lower = plant(join(directory, 'lower'), { both: 'lower', 'dir/b': 'B', 'gone/c': 'C', only: 'O' });
        await withSandbox(
          provider,
          { mounts: [{ kind: 'layers', sources: [upper, lower], target: '/workspace' }] },
          async (sandbox) => {
            assert.equal(await output(sandbox, 'cat both dir/a dir/b gone/c only'), 'upperABCO');
            await output(
              sandbox,
              'echo new > both && echo more >> only && rm -rf gone && mv dir moved && echo z > moved/z && chmod 755 moved/a',
            );
            assert.equal(await output(sandbox, 'cat both only moved/a; echo *'), 'new\nOmore\nAboth moved only');
          },
        );
        assert.deepEqual(
          [readFileSync(join(upper, 'both'), 'utf8'), readFileSync(join(lower, 'only'), 'utf8')],
          ['upper', 'O'],
        );
        assert.deepEqual(
          [readdirSync(upper), readdirSync(lower)],
          [
            ['both', 'dir'],
            ['both', 'dir', 'gone', 'only'],
          ],
        );
        assert.deepEqual(readdirSync(join(lower, 'gone')), ['c']);
      }),
  },
  {
    name: 'deleted paths are gone from layers, and can be made again',
    needs: ['layers'],
    run: (provider) =>
      withHostDirectory(async (directory) => {
        const lower = plant(join(directory, 'lower'), {
          file: '1',
          'dir/a': '2',
          'dir/b': '3',
          'tree/x/y': '4',
          link: '->/usr/bin/env',
        });
        const deleted = ['file', 'dir/a', 'tree', 'link', 'never/was'];
        await withSandbox(
          provider,
          { mounts: [{ kind: 'layers', sources: [lower], target: '/data/in', deleted }] },
          async (sandbox) => {
            assert.equal(await output(sandbox, 'cd /data/in && find . | sort | tr "\\n" " "'), '. ./dir ./dir/b ');
            assert.equal(
              await output(
                sandbox,
                'cd /data/in && mkdir tree && echo n > tree/n && echo f > file && find . -type f | sort | tr "\\n" " "',
              ),
              './dir/b ./file ./tree/n ',
            );
            assertExit(await sandbox.exec('test -x /usr/bin/env'), 0);
          },
        );
        assert.deepEqual(readdirSync(lower), ['dir', 'file', 'link', 'tree']);
        for (const path of ['../x', '/x', 'a//b', '']) {
          await assert.rejects(
            provider.create({ mounts: [{ kind: 'layers', sources: [lower], target: '/data', deleted: [path] }] }),
            { code: 'BAD_OPTION' },
          );
        }
      }),
  },
  {
    name: 'read-only and hidden mounts cannot be written, writable ones can (control)',
    run: (provider) =>
      withHostDirectory(async (directory) => {
        const source = plant(join(directory, 'source'), { file: 'x' });
        const mounts: Mount[] = [
          { kind: 'read-only', source, target: '/opt/ro' },
          { kind: 'read-only', source: join(source, 'file'), target: '/opt/one-file' },
          { kind: 'writable', source, target: '/opt/rw' },
        ];
        await withSandbox(provider, { mounts }, async (sandbox) => {
          assert.equal(await output(sandbox, 'cat /opt/ro/file /opt/one-file /opt/rw/file'), 'xxx');
          const attempt = await sandbox.exec(
            'for f in /opt/ro/new /opt/ro/file /opt/one-file /opt/rw/new; do (echo y > $f) 2>/dev/null && echo $f; done',
          );
          assert.equal(attempt.stdout, '/opt/rw/new\n');
        });
        assert.deepEqual([readdirSync(source), readFileSync(join(source, 'file'), 'utf8')], [['file', 'new'], 'x']);
        await withSandbox(
          provider,
          {
            mounts: [
              { kind: 'hidden', target: '/usr/share' },
              { kind: 'hidden', target: '/etc/passwd' },
            ],
          },
          async (sandbox) => {
            assert.equal(await output(sandbox, 'echo /usr/share/*; cat /etc/passwd'), '/usr/share/*');
            assert.equal((await sandbox.exec('(echo x > /usr/share/x) 2>/dev/null && echo written')).stdout, '');
          },
        );
      }),
  },
  {
    name: 'mounts nest, in order, and missing targets are made',
    needs: ['layers'],
    run: (provider) =>
      withHostDirectory(async (directory) => {
        const base = plant(join(directory, 'base'), { 'a/file': 'base', 'b/file': 'base' });
        const inner = plant(join(directory, 'inner'), { file: 'inner' });
        await withSandbox(
          provider,
          {
            mounts: [
              { kind: 'layers', sources: [base], target: '/workspace' },
              { kind: 'read-only', source: inner, target: '/workspace/a' },
              { kind: 'layers', sources: [inner], target: '/workspace/new/deep' },
              { kind: 'hidden', target: '/workspace/b' },
              { kind: 'read-only', source: join(inner, 'file'), target: '/workspace/new/deep/again' },
            ],
          },
          async (sandbox) => {
            assert.equal(
              await output(
                sandbox,
                'cat a/file new/deep/file new/deep/again; echo b/*; echo x > new/mine && echo x > new/deep/mine',
              ),
              'innerinnerinnerb/*',
            );
          },
        );
        assert.deepEqual([readdirSync(base), readdirSync(inner)], [['a', 'b'], ['file']]);
      }),
  },
  {
    name: 'sources may have any name',
    needs: ['layers'],
    run: (provider) =>
      withHostDirectory(async (directory) => {
        const names = ['a:b,c', 'with space\ttab\nline', `quo'te"s`, '\\back\\040slash', '#hash', 'lowerdir=x', 'ünï'];
        const mounts = names.flatMap((name, index) => {
          const source = plant(join(directory, name), { file: String(index) });
          return [
            { kind: 'layers' as const, sources: [source], target: `/data/l ${index}` },
            { kind: 'read-only' as const, source, target: `/data/r${index}:,\\"` },
          ];
        });
        await withSandbox(provider, { mounts }, async (sandbox) => {
          assert.equal(await output(sandbox, 'cat "/data/l "?/file /data/r*/file'), '01234560123456');
        });
      }),
  },
  {
    name: 'many layers fit',
    needs: ['layers'],
    run: (provider) =>
      withHostDirectory(async (directory) => {
        const sources = Array.from({ length: 40 }, (_, index) =>
          plant(join(directory, 'a-rather-long-name-for-a-layer'.repeat(4), String(index)), { [`f${index}`]: 'x' }),
        );
        await withSandbox(provider, { mounts: [{ kind: 'layers', sources, target: '/data' }] }, async (sandbox) => {
          assert.equal(await output(sandbox, 'echo /data/* | wc -w'), '40');
        });
      }),
  },
  {
    name: 'a mount through a link, on nothing sensible, or from nowhere is refused',
    needs: ['layers'],
    run: (provider) =>
      withHostDirectory(async (directory) => {
        const hostile = plant(join(directory, 'hostile'), { etc: `->${directory}`, file: 'x' });
        const inner = plant(join(directory, 'inner'), { file: 'x' });
        const base: Mount = { kind: 'layers', sources: [hostile], target: '/workspace' };
        const refused: Mount[][] = [
          [base, { kind: 'read-only', source: inner, target: '/workspace/etc/made' }],
          [base, { kind: 'layers', sources: [inner], target: '/workspace/etc' }],
          [base, { kind: 'read-only', source: inner, target: '/workspace/file/under' }],
          [{ ...base, deleted: ['etc/inner'] }],
          [{ kind: 'read-only', source: join(directory, 'missing'), target: '/data' }],
          [{ kind: 'layers', sources: [join(inner, 'file')], target: '/data' }],
          [{ kind: 'read-only', source: inner, target: '/proc/x' }],
          [{ kind: 'read-only', source: inner, target: '/' }],
          [{ kind: 'read-only', source: inner, target: 'relative' }],
          [{ kind: 'read-only', source: inner, target: '/usr/no/such/place' }],
        ];
        for (const mounts of refused)
          await assert.rejects(provider.create({ mounts }), { code: 'BAD_OPTION' }, JSON.stringify(mounts));
        assert.deepEqual(readdirSync(directory), ['hostile', 'inner']);
        assert.deepEqual(readdirSync(inner), ['file']);
      }),
  },
];
