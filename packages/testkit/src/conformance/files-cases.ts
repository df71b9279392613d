import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertExit, output, withHostDirectory, withSandbox, type ConformanceCase } from './conformance-case.ts';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export const FILES_CASES: ConformanceCase[] = [
  {
    name: 'text that is written can be read, by relative and absolute path',
    run: (provider) => withSandbox(provider, {}, async (sandbox) => {
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
    run: (provider) => withSandbox(provider, {}, async (sandbox) => {
      const path = `deep/-er/$(id)/"q'uote\n/*.txt`;
      await sandbox.writeFile(path, 'x');
      assert.equal(await sandbox.readFile(path), 'x');
    }),
  },
  {
    name: 'binary and big content arrives unchanged',
    run: (provider) => withSandbox(provider, {}, async (sandbox) => {
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
    run: (provider) => withSandbox(provider, {}, async (sandbox) => {
      for (const directory of ['/workspace', '/home/user', '/tmp', '/var/tmp', '/dev/shm']) {
        await output(sandbox, `echo ${directory} > ${directory}/kept`);
        assert.equal(await sandbox.readFile(`${directory}/kept`), `${directory}\n`);
      }
    }),
  },
  {
    name: 'reading rejects what is not there, a directory, and what is over the output limit',
    run: (provider) => withSandbox(provider, { limits: { outputBytes: 1000 } }, async (sandbox) => {
      await sandbox.writeFile('long', 'x'.repeat(1001));
      for (const path of ['missing', '/workspace', 'long']) {
        await assert.rejects(sandbox.readFile(path), { code: 'SANDBOX_FILE_FAILED' });
      }
    }),
  },
  {
    name: '`ls` and `stat` work',
    run: (provider) => withSandbox(provider, {}, async (sandbox) => {
      await sandbox.writeFile('listed', 'x');
      assert.equal(await output(sandbox, 'ls -l listed > /dev/null && ls && stat -c %s listed'), 'listed\n1');
    }),
  },
  {
    name: 'links in the sandbox lead neither writing nor reading out of it',
    run: (provider) => withHostDirectory((directory) => withSandbox(provider, {}, async (sandbox) => {
      writeFileSync(join(directory, 'secret'), 'host', { mode: 0o666 });
      await output(sandbox, `ln -s ${directory}/secret file && ln -s ${directory} dir && ln -s / root`);
      await assert.rejects(sandbox.readFile('file'), { code: 'SANDBOX_FILE_FAILED' });
      await assert.rejects(sandbox.readFile('dir/secret'), { code: 'SANDBOX_FILE_FAILED' });
      await assert.rejects(sandbox.readFile(`root${directory}/secret`), { code: 'SANDBOX_FILE_FAILED' });
      // What writing through them does inside is of no interest.
      await sandbox.writeFile('file', 'changed').catch(() => {});
      await sandbox.writeFile('dir/new', 'changed').catch(() => {});
      assert.deepEqual(readdirSync(directory), ['secret']);
      assert.equal(readFileSync(join(directory, 'secret'), 'utf8'), 'host');
    })),
  },
  {
    name: 'the host can look in, but not through a link',
    needs: ['host-view'],
    run: (provider) => withSandbox(provider, {}, async (sandbox) => {
      assert.ok(sandbox.hostView, 'only providers with a stage run this');
      await output(sandbox, 'mkdir -p a/b && echo x > a/b/c && ln -s / out && ln -s a/b/c file');
      assert.equal(readFileSync(join(sandbox.hostView('a/b'), 'c'), 'utf8'), 'x\n');
      assert.equal(readFileSync(join(sandbox.hostView('/workspace/../workspace/a'), 'b/c'), 'utf8'), 'x\n');
      for (const path of ['out', 'out/etc', 'file', '/bin']) assert.throws(() => sandbox.hostView?.(path), { code: 'UNSAFE_PATH' });
    }),
  },
  {
    name: 'a directory can be exported; links stay links, special files stay behind',
    needs: ['export'],
    run: (provider) => withHostDirectory((directory) => withSandbox(provider, {}, async (sandbox) => {
      assert.ok(sandbox.exportDirectory, 'only providers with a stage run this');
      const script = 'mkdir -p t/d && echo x > t/d/run && chmod 755 t/d/run && ln -s /etc/shadow t/link && mkfifo t/pipe && truncate -s 1T t/hole && mkdir t/closed && chmod 0 t/closed';
      await output(sandbox, script);
      const target = join(directory, 'copy');
      await sandbox.exportDirectory('t', target);
      assert.deepEqual(readdirSync(target).toSorted(), ['closed', 'd', 'hole', 'link']);
      assert.equal(readlinkSync(join(target, 'link')), '/etc/shadow');
      assert.equal(readFileSync(join(target, 'd/run'), 'utf8'), 'x\n');
      await assert.rejects(sandbox.exportDirectory('t', target), 'the target exists already');
      await assert.rejects(sandbox.exportDirectory('missing', join(directory, 'other')), { code: 'SANDBOX_FILE_FAILED' });
      assert.equal(existsSync(join(directory, 'other')), false);
    })),
  },
  {
    name: 'the system part of the tree is read-only',
    needs: ['isolation'],
    run: (provider) => withSandbox(provider, {}, async (sandbox) => {
      const result = await sandbox.exec('for f in /usr/x /bin/x /etc/x /etc/passwd /x /proc/sys/kernel/hostname; do if (echo x > $f) 2>/dev/null; then echo $f; fi; done');
      assertExit(result, 0);
      assert.equal(result.stdout, '');
    }),
  },
];
