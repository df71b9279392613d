import assert from 'node:assert/strict';
import { assertExit, output, withSandbox, type ConformanceCase } from './conformance-case.ts';

export const EXEC_CASES: ConformanceCase[] = [
  {
    name: 'output and exit codes come back',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        const result = await sandbox.exec('echo out; echo err >&2; exit 42');
        assert.deepEqual([result.stdout, result.stderr, result.exitCode], ['out\n', 'err\n', 42]);
        assert.ok(!result.timedOut && !result.truncated && !result.outOfMemory);
        assertExit(await sandbox.exec('true'), 0);
        assertExit(await sandbox.exec('false'), 1);
      }),
  },
  {
    name: 'argv runs without a shell, the command line with one',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        const argv = ['printf', '%s|', '$HOME', 'a b', '', '*', '--', '=x'];
        assert.equal((await sandbox.exec('ignored', { argv })).stdout, '$HOME|a b||*|--|=x|');
        assert.equal(await output(sandbox, 'printf "%s|" "$HOME" "a b"'), '/home/user|a b|');
      }),
  },
  {
    name: 'an interactive provider gives input piece by piece and output as it comes; others refuse',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        const answers: string[] = [];
        let answered = Promise.withResolvers<void>();
        async function* talk(): AsyncIterable<string> {
          for (const word of ['one', 'two', 'three']) {
            answered = Promise.withResolvers();
            yield `${word}\n`;
            await answered.promise;
          }
        }
        const onStdout = (text: string): void => {
          answers.push(text);
          if (answers.join('').endsWith('\n')) answered.resolve();
        };
        const script = 'while read -r word; do echo "got $word"; done; exit 7';
        const run = sandbox.exec(script, { stdin: talk(), onStdout });
        if (!provider.interactive) {
          await assert.rejects(run, { code: 'BAD_OPTION' });
          return;
        }
        assertExit(await run, 7);
        assert.equal(answers.join(''), 'got one\ngot two\ngot three\n');
      }),
  },
  {
    name: 'a command that ends does not wait for input that is still to come',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        if (!provider.interactive) return;
        let closed = false;
        async function* endless(): AsyncIterable<string> {
          try {
            yield 'a line\n';
            await new Promise(() => {});
          } finally {
            closed = true;
          }
        }
        assertExit(await sandbox.exec('read -r line; test "$line" = "a line" && exit 3', { stdin: endless() }), 3);
        assert.equal(closed, false, 'an iterable that never answers cannot be closed, and nobody waits for it');
      }),
  },
  {
    name: 'what cannot be run gives 127, 126 or 125',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        await sandbox.writeFile('plain', 'x');
        assertExit(await sandbox.exec('', { argv: ['no-such-command'] }), 127);
        assertExit(await sandbox.exec('no-such-command'), 127);
        assertExit(await sandbox.exec('', { argv: ['/workspace/plain'] }), 126);
        assertExit(await sandbox.exec('true', { cwd: '/no/such/directory' }), 125);
      }),
  },
  {
    name: 'death by signal n gives 128 + n',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        assertExit(await sandbox.exec('kill -TERM $$'), 143);
        assertExit(await sandbox.exec('kill -KILL $$'), 137);
        assertExit(await sandbox.exec('', { argv: ['sh', '-c', 'kill -SEGV $$'] }), 139);
      }),
  },
  {
    name: 'standard input is given, closed, and empty by default',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        assert.equal((await sandbox.exec('cat', { stdin: 'text' })).stdout, 'text');
        assert.equal(
          (await sandbox.exec('od -An -tx1', { stdin: Uint8Array.of(0, 255, 10) })).stdout.trim(),
          '00 ff 0a',
        );
        assert.equal((await sandbox.exec('cat')).stdout, '');
        const unread = await sandbox.exec('exit 3', { stdin: 'x'.repeat(5_000_000) });
        assertExit(unread, 3);
      }),
  },
  {
    name: 'the environment is exactly what was asked for',
    run: async (provider) => {
      process.env['ASSAY_CONFORMANCE_SECRET'] = 'of the host';
      await withSandbox(provider, { env: { GIVEN: 'a=b c', LANG: 'C' } }, async (sandbox) => {
        const result = await sandbox.exec('', { argv: ['env', '-0'], env: { LATER: 'x\ny', GIVEN: 'overruled' } });
        const names = Object.fromEntries(
          result.stdout
            .split('\0')
            .filter((line) => line !== '')
            .map((line) => {
              const at = line.indexOf('=');
              return [line.slice(0, at), line.slice(at + 1)];
            }),
        );
        const { PATH, TMPDIR, ...others } = names;
        assert.ok(PATH?.includes('/usr/bin') && TMPDIR === '/tmp');
        assert.deepEqual(others, {
          HOME: '/home/user',
          LANG: 'C',
          PWD: '/workspace',
          GIVEN: 'overruled',
          LATER: 'x\ny',
        });
      });
    },
  },
  {
    name: 'the working directory is /workspace unless told otherwise',
    run: (provider) =>
      withSandbox(provider, { cwd: '/home/user' }, async (sandbox) => {
        assert.equal(await output(sandbox, 'pwd'), '/home/user');
        await output(sandbox, 'mkdir sub');
        assert.equal((await sandbox.exec('pwd', { cwd: 'sub' })).stdout, '/home/user/sub\n');
        assert.equal((await sandbox.exec('pwd', { cwd: '/workspace' })).stdout, '/workspace\n');
      }),
  },
  {
    name: 'the standard streams can be opened again by path',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        const result = await sandbox.exec(
          'read -r line < /dev/stdin; echo "$line" > /dev/stdout; echo e > /dev/stderr',
          { stdin: 'in\n' },
        );
        assert.deepEqual([result.stdout, result.stderr, result.exitCode], ['in\n', 'e\n', 0]);
      }),
  },
  {
    name: 'what was read from standard input cannot be read again by anybody',
    // It reads from whatever process it can see.
    needs: ['isolation'],
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        const script =
          'read -r line; exec < /dev/null; for f in /proc/[0-9]*/fd/*; do dd if=$f iflag=nonblock count=1 2>/dev/null; done; true';
        assert.equal((await sandbox.exec(script, { stdin: 'said once\n' })).stdout, '');
      }),
  },
  {
    name: 'no other descriptor is open',
    needs: ['isolation'],
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        const script =
          'n=3; while [ $n -lt 1024 ]; do [ -e /proc/self/fd/$n ] && readlink /proc/self/fd/$n | grep -qv "^/dev/null$" && echo $n; n=$((n+1)); done; true';
        assert.equal(await output(sandbox, script), '');
      }),
  },
  {
    name: 'output over the limit is dropped and marked, for each stream',
    run: (provider) =>
      withSandbox(provider, { limits: { outputBytes: 1000 } }, async (sandbox) => {
        const flood = await sandbox.exec('head -c 3000000 /dev/zero | tr "\\0" a; echo short >&2');
        assert.deepEqual(
          [flood.stdout, flood.stderr, flood.truncated, flood.exitCode],
          ['a'.repeat(1000), 'short\n', true, 0],
        );
        const errors = await sandbox.exec('head -c 3000000 /dev/zero | tr "\\0" b >&2');
        assert.deepEqual([errors.stdout, errors.stderr.length, errors.truncated], ['', 1000, true]);
        const exact = await sandbox.exec('head -c 1000 /dev/zero | tr "\\0" c');
        assert.deepEqual([exact.stdout.length, exact.truncated], [1000, false]);
      }),
  },
  {
    name: 'commands of one sandbox can run at the same time',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        const results = await Promise.all(
          [1, 2, 3, 4].map((number) =>
            sandbox.exec(`echo ${number} > ${number}; cat; exit ${number}`, { stdin: String(number) }),
          ),
        );
        assert.deepEqual(
          results.map((result) => [result.stdout, result.exitCode]),
          [
            ['1', 1],
            ['2', 2],
            ['3', 3],
            ['4', 4],
          ],
        );
        assert.equal(await output(sandbox, 'cat 1 2 3 4'), '1\n2\n3\n4');
      }),
  },
  {
    name: 'bad options are refused',
    run: async (provider) => {
      for (const options of [
        { timeout: 0 },
        { env: { 'A=B': 'x' } },
        { hostname: 'a/b' },
        { network: { kind: 'host' as const } },
        { limits: { pids: -1 } },
      ]) {
        await assert.rejects(provider.create(options), { code: 'BAD_OPTION' });
      }
      // @ts-expect-error A seal that nobody knows must not be taken for one that is off.
      await assert.rejects(provider.create({ unsealed: ['everything'] }), { code: 'UNKNOWN_SEAL' });
    },
  },
];
