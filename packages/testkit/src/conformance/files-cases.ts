import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertExit, output, withHostDirectory, withSandbox, type ConformanceCase } from './conformance-case.ts';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export const FILES_CASES: ConformanceCase[] = [
  {
    name: 'text that is written can be read, by relative and absolute path',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        await sandbox.writeFile('a.txt', 'one\n');
        await sandbox.writeFile('/home/user/b c.txt', 'zwei ü\n');
        assert.equal(await sandbox.readFile('/workspace/a.txt'), 'one\n');
        assert.equal(await sandbox.readFile('/home/user/b c.txt'), 'zwei ü\n');
        await sandbox.writeFile('a.txt', '');
        assert.equal(await sandbox.readFile('a.txt'), '');
      }),
  },
  {
    name: 'parent directories are made, odd names work',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        const path = `deep/-er/$(id)/"q'uote\n/*.txt`;
        await sandbox.writeFile(path, 'x');
        assert.equal(await sandbox.readFile(path), 'x');
      }),
  },
  {
    name: 'binary and big content arrives unchanged',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        const every = Uint8Array.from({ length: 256 }, (_, index) => index);
        const big = randomBytes(6 * 1024 * 1024);
        await sandbox.writeFile('every', every);
        await sandbox.writeFile('big', big);
        const sums = await output(sandbox, 'sha256sum every big | cut -d" " -f1');
        assert.deepEqual(sums.split('\n'), [sha256(every), sha256(big)]);
      }),
  },
  {
    name: 'files last from one command to the next, all over the tree',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        for (const directory of ['/workspace', '/home/user', '/tmp', '/var/tmp', '/dev/shm']) {
          await output(sandbox, `echo ${directory} > ${directory}/kept`);
          assert.equal(await sandbox.readFile(`${directory}/kept`), `${directory}\n`);
        }
      }),
  },
  {
    name: 'reading rejects what is not there, a directory, and what is over the output limit',
    run: (provider) =>
      withSandbox(provider, { limits: { outputBytes: 1000 } }, async (sandbox) => {
        await sandbox.writeFile('long', 'x'.repeat(1001));
        for (const path of ['missing', '/workspace', 'long']) {
          await assert.rejects(sandbox.readFile(path), { code: 'SANDBOX_FILE_FAILED' });
        }
      }),
  },
  {
    name: '`ls` and `stat` work',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        await sandbox.writeFile('listed', 'x');
        assert.equal(await output(sandbox, 'ls -l listed > /dev/null && ls && stat -c %s listed'), 'listed\n1');
      }),
  },
  {
    name: 'links in the sandbox lead neither writing nor reading out of it',
    run: (provider) =>
      withHostDirectory((directory) =>
        withSandbox(provider, {}, async (sandbox) => {
          writeFileSync(join(directory, 'secret'), 'host', { mode: 0o666 });
          await output(sandbox, `ln -s ${directory}/secret file && ln -s ${directory} dir && ln -s / root`);
          await assert.rejects(sandbox.readFile('file'), { code: 'SANDBOX_FILE_FAILED' });
          await assert.rejects(sandbox.readFile('dir/secret'), { code: 'SANDBOX_FILE_FAILED' });
          await assert.rejects(sandbox.readFile(`root${directory}/secret`), { code: 'SANDBOX_FILE_FAILED' });
          // Only the effect outside matters: inside, these writes may succeed or fail.
          await sandbox.writeFile('file', 'changed').catch(() => {});
          await sandbox.writeFile('dir/new', 'changed').catch(() => {});
          assert.deepEqual(readdirSync(directory), ['secret']);
          assert.equal(readFileSync(join(directory, 'secret'), 'utf8'), 'host');
        }),
      ),
  },
  {
    name: 'the host can look in, but not through a link',
    needs: ['host-view'],
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        assert.ok(sandbox.hostView, 'only providers with a stage run this');
        await output(sandbox, 'mkdir -p a/b && echo x > a/b/c && ln -s / out && ln -s a/b/c file');
        assert.equal(readFileSync(join(sandbox.hostView('a/b'), 'c'), 'utf8'), 'x\n');
        assert.equal(readFileSync(join(sandbox.hostView('/workspace/../workspace/a'), 'b/c'), 'utf8'), 'x\n');
        for (const path of ['out', 'out/etc', 'file', '/bin'])
          assert.throws(() => sandbox.hostView?.(path), { code: 'UNSAFE_PATH' });
      }),
  },
  {
    name: 'a directory can be exported; links stay links, special files stay behind',
    needs: ['export'],
    run: (provider) =>
      withHostDirectory((directory) =>
        withSandbox(provider, {}, async (sandbox) => {
          assert.ok(sandbox.exportDirectory, 'only providers with a stage run this');
          const script =
            'mkdir -p t/d && echo x > t/d/run && chmod 755 t/d/run && ln -s /etc/shadow t/link && mkfifo t/pipe && truncate -s 1T t/hole && mkdir t/closed && chmod 0 t/closed';
          await output(sandbox, script);
          const target = join(directory, 'copy');
          await sandbox.exportDirectory('t', target);
          assert.deepEqual(readdirSync(target).toSorted(), ['closed', 'd', 'hole', 'link']);
          assert.equal(readlinkSync(join(target, 'link')), '/etc/shadow');
          assert.equal(readFileSync(join(target, 'd/run'), 'utf8'), 'x\n');
          await assert.rejects(sandbox.exportDirectory('t', target), 'the target exists already');
          await assert.rejects(sandbox.exportDirectory('missing', join(directory, 'other')), {
            code: 'SANDBOX_FILE_FAILED',
          });
          assert.equal(existsSync(join(directory, 'other')), false);
        }),
      ),
  },
  {
    name: 'bytes can be read as they are, and only of regular files within the output limit',
    needs: ['file-facts'],
    run: (provider) =>
      withSandbox(provider, { limits: { outputBytes: 100_000 } }, async (sandbox) => {
        assert.ok(sandbox.readFileBytes, 'only providers that have it run this');
        const every = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);
        await sandbox.writeFile('every', every);
        assert.deepEqual(Buffer.from(await sandbox.readFileBytes('every')), Buffer.from(every));
        await output(
          sandbox,
          'cp every more; echo >> more; mkfifo pipe; mkdir dir; ln -s pipe link; ln -s loop loop; truncate -s 1T hole',
        );
        for (const path of ['more', 'pipe', 'dir', 'link', 'loop', 'hole', 'missing', '/dev/zero']) {
          await assert.rejects(sandbox.readFileBytes(path), { code: 'SANDBOX_FILE_FAILED' }, path);
          await assert.rejects(sandbox.readFile(path), { code: 'SANDBOX_FILE_FAILED' }, path);
        }
      }),
  },
  {
    name: 'what a path is can be asked; links are seen as links, and lead on inside only',
    needs: ['file-facts', 'host-mounts'],
    run: (provider) =>
      withHostDirectory((directory) =>
        withSandbox(provider, {}, async (sandbox) => {
          assert.ok(sandbox.kindOf, 'only providers that have it run this');
          writeFileSync(join(directory, 'secret'), 'host', { mode: 0o666 });
          await output(
            sandbox,
            `mkdir dir && echo x > dir/file && ln -s /etc/passwd link && ln -s ${directory} out && ln -s nowhere dangling && ln -s dir way`,
          );
          const kinds = {
            dir: 'directory',
            'dir/file': 'file',
            link: 'link',
            out: 'link',
            dangling: 'link',
            '/dev/null': 'other',
            'way/file': 'file',
            'out/secret': null,
            missing: null,
            'dir/file/below': null,
            '-n': null,
          };
          for (const [path, kind] of Object.entries(kinds)) assert.equal(await sandbox.kindOf(path), kind, path);
        }),
      ),
  },
  {
    name: 'what lies below a path can be counted, links not followed, in bounded time',
    needs: ['file-facts'],
    run: (provider) =>
      withSandbox(provider, { limits: { diskBytes: 64 * 1024 * 1024 } }, async (sandbox) => {
        assert.ok(sandbox.diskUsage, 'only providers that have it run this');
        await output(
          sandbox,
          'mkdir t && cd t && head -c 3m /dev/zero > a && ln a b && mkdir -p d/d && head -c 1m /dev/zero > d/d/c && ln -s /usr usr && mkfifo pipe',
        );
        const bytes = await sandbox.diskUsage('t');
        assert.ok(bytes >= 4 * 1024 * 1024 && bytes < 4.2 * 1024 * 1024, String(bytes));
        assert.ok((await sandbox.diskUsage('t/usr')) < 64 * 1024);
        await output(
          sandbox,
          'deep=$(printf "dddddddddddddddddddd/%.0s" $(seq 150)) && mkdir -p n/$deep && cd n/$deep && echo x > end && mkdir /workspace/many && cd /workspace/many && seq 1500 | xargs touch',
        );
        assert.ok((await sandbox.diskUsage('.')) < 5 * 1024 * 1024);
        await assert.rejects(sandbox.diskUsage('missing'), { code: 'SANDBOX_FILE_FAILED' });
      }),
  },
  {
    name: 'holes in files are not counted',
    needs: ['file-facts'],
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        assert.ok(sandbox.diskUsage, 'only providers that have it run this');
        await output(sandbox, 'truncate -s 1T hole');
        assert.ok((await sandbox.diskUsage('hole')) < 1024 * 1024);
      }),
  },
  {
    name: 'files are written and read while another command runs and changes them, which it does not notice',
    needs: ['file-facts'],
    run: (provider) =>
      withSandbox(provider, { limits: { outputBytes: 1_000_000 } }, async (sandbox) => {
        assert.ok(sandbox.readFileBytes && sandbox.kindOf, 'only providers that have it run this');
        const run = sandbox.exec(
          'echo > ready; n=0; while ! [ -e stop ]; do n=$((n+1)); head -c 8192 /dev/zero >> grows; rm -f swap; ln -s /etc/shadow swap; rm -f swap; echo own > swap; done; cat given; exit 5',
        );
        while ((await sandbox.kindOf('ready')) !== 'file');
        await sandbox.writeFile('given', 'from outside');
        for (let time = 0; time < 10; time += 1) {
          // It may be over the limit by now; it must end.
          const grown = await sandbox.readFileBytes('grows').then(
            ({ length }) => length,
            (error: { code: string }) => error.code,
          );
          assert.ok(grown === 'SANDBOX_FILE_FAILED' || Number(grown) >= 0, String(grown));
          const swapped = await sandbox.readFile('swap').catch((error: { code: string }) => error.code);
          assert.ok(['own\n', '', 'SANDBOX_FILE_FAILED'].includes(swapped), swapped);
        }
        await sandbox.writeFile('stop', '');
        const result = await run;
        assert.deepEqual([result.stdout, result.exitCode], ['from outside', 5]);
      }),
  },
  {
    name: 'the system part of the tree is read-only',
    needs: ['isolation'],
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        const result = await sandbox.exec(
          'for f in /usr/x /bin/x /etc/x /etc/passwd /x /proc/sys/kernel/hostname; do if (echo x > $f) 2>/dev/null; then echo $f; fi; done',
        );
        assertExit(result, 0);
        assert.equal(result.stdout, '');
      }),
  },
];
