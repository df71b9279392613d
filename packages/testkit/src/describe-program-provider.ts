import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ExecResult, Sandbox, SandboxProvider } from '@assay/sandbox';
import { withSandbox } from './conformance/conformance-case.ts';

/** Declares the tests of a provider that runs JavaScript programs, and no shell (`runs: 'javascript'`). */
export function describeProgramProvider(name: string, makeProvider: () => SandboxProvider): void {
  const run = (program: string, timeout = 20_000): Promise<ExecResult> =>
    withSandbox(makeProvider(), {}, (sandbox) => sandbox.exec(program, { timeout }));
  const printed = async (program: string): Promise<string> => {
    const { stdout, stderr, exitCode } = await run(program);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };

  describe(`programs with ${name}`, () => {
    test('says what it is', () => {
      const provider = makeProvider();
      assert.equal(provider.name, name);
      assert.equal(provider.runs, 'javascript');
    });

    test('the console is the output', async () => {
      const result = await run(
        'console.log("one", 2, null, undefined, true); console.info({ a: [1] }); console.error("wrong", 1n); console.warn("look");',
      );
      assert.equal(result.stdout, 'one 2 null undefined true\n{"a":[1]}\n');
      assert.equal(result.stderr, 'wrong 1\nlook\n');
      assert.equal(result.exitCode, 0);
      assert.equal(result.timedOut, undefined);
    });

    test('what is thrown stands on standard error, exit code 1, and what was printed before stays', async () => {
      for (const program of [
        'throw new RangeError("no")',
        'setTimeout(() => { throw new RangeError("no"); }, 5)',
        '(async () => { await null; throw new RangeError("no"); })()',
      ]) {
        const result = await run(`console.log("before");\n${program}`);
        assert.deepEqual([result.exitCode, result.stdout, result.stderr], [1, 'before\n', 'RangeError: no\n'], program);
      }
      const syntax = await run('const = 5');
      assert.equal(syntax.exitCode, 1);
      assert.match(syntax.stderr, /^SyntaxError: .+\n$/);
    });

    test('promises and timers run until nothing is left to do, in virtual time', async () => {
      assert.equal(
        await printed(
          'setTimeout(() => console.log("c"), 3_600_000); setTimeout(() => console.log("b"), 1); Promise.resolve().then(() => console.log("a"));',
        ),
        'a\nb\nc\n',
      );
    });

    test('a program that does not end is stopped, exit code 124, and what was printed stays', async () => {
      for (const program of [
        'for (;;);',
        'setInterval(() => {}, 1)',
        '(async () => { for (;;) await null; })()',
        'Promise.resolve().then(() => { for (;;); })',
      ]) {
        const result = await run(`console.log("before");\n${program}`, 300);
        assert.deepEqual([result.exitCode, result.timedOut], [124, true], program);
        assert.match(result.stderr, /timed out after 300 ms\n$/);
        if (program === 'for (;;);') assert.equal(result.stdout, 'before\n');
      }
    });

    test('the time limit of the sandbox holds where exec has none', async () => {
      const result = await withSandbox(makeProvider(), { timeout: 200 }, (sandbox) => sandbox.exec('for (;;);'));
      assert.equal(result.exitCode, 124);
    });

    test('files are the frozen object __files, and stay until the end', async () => {
      await withSandbox(makeProvider(), {}, async (sandbox) => {
        await sandbox.writeFile('data/a.txt', 'ä\u0000\n');
        await sandbox.writeFile('/b.json', Buffer.from('{"b":1}'));
        await sandbox.writeFile('__proto__', 'own');
        const program =
          'console.log(__files["data/a.txt"].length, JSON.parse(__files["/b.json"]).b, Object.isFrozen(__files), Object.keys(__files).length); try { __files.c = 1; } catch {} console.log(typeof __files.c)';
        for (let time = 0; time < 2; time += 1)
          assert.equal((await sandbox.exec(program)).stdout, '3 1 true 3\nundefined\n');
        assert.equal(await sandbox.readFile('data/a.txt'), 'ä\u0000\n');
        assert.equal(await sandbox.readFile('__proto__'), 'own');
        await assert.rejects(sandbox.readFile('missing'), { code: 'SANDBOX_FILE_FAILED' });
        await assert.rejects(sandbox.readFile('toString'), { code: 'SANDBOX_FILE_FAILED' });
        await assert.rejects(sandbox.writeFile('', 'x'), { code: 'BAD_OPTION' });
        await assert.rejects(sandbox.writeFile('huge', Buffer.alloc(65 * 1024 * 1024)), {
          code: 'SANDBOX_FILE_FAILED',
        });
      });
    });

    test('no program sees anything of another', async () => {
      await withSandbox(makeProvider(), {}, async (sandbox) => {
        await sandbox.exec('globalThis.left = 1; Array.prototype.map = null; Object.prototype.polluted = 1;');
        assert.equal(
          (await sandbox.exec('console.log(typeof left, typeof [].map, typeof ({}).polluted)')).stdout,
          'undefined function undefined\n',
        );
      });
    });

    test('there is no process, no module and no network', async () => {
      assert.equal(
        await printed(
          'console.log(typeof process, typeof require, typeof module, typeof fetch, typeof Buffer, typeof XMLHttpRequest)',
        ),
        `${'undefined '.repeat(6).trimEnd()}\n`,
      );
      assert.equal(
        await printed('import("node:fs").then(() => console.log("imported"), () => console.log("refused"))'),
        'refused\n',
      );
    });

    test('two runs print the same', async () => {
      const program =
        'console.log(Math.random(), Date.now(), new Date(), performance.now(), new Date(2020, 0).getTime())';
      assert.equal(await printed(program), await printed(program));
    });

    test('a flood of output is cut and marked', async () => {
      const result = await withSandbox(makeProvider(), { limits: { outputBytes: 1001 } }, (sandbox) =>
        sandbox.exec('for (let i = 0; i < 1e5; i += 1) console.log("ä".repeat(100))', { timeout: 20_000 }),
      );
      assert.equal(result.truncated, true);
      assert.equal(result.stdout.length, 502);
      assert.ok(result.stdout.startsWith('ä') && !result.stdout.includes('\uFFFD'));
    });

    test('an image is ignored; whatever else it cannot honour is refused', async () => {
      const provider = makeProvider();
      await (await provider.create({ image: 'node:24', network: undefined as never })).destroy();
      for (const options of [
        { mounts: [{ kind: 'hidden', target: '/x' } as const] },
        { env: { A: '1' } },
        { cwd: '/' },
        { network: { kind: 'host' } as const },
        { hostname: 'x' },
        { limits: { pids: 5 } },
        { unsealed: ['network'] as const },
        { timeout: 0 },
        { timeout: Number.NaN },
      ]) {
        await assert.rejects(provider.create(options), { code: 'BAD_OPTION' }, JSON.stringify(options));
      }
      await assert.rejects(provider.create({ unsealed: ['everything' as 'network'] }), { code: 'UNKNOWN_SEAL' });
      await withSandbox(provider, {}, async (sandbox) => {
        for (const options of [
          { argv: ['ls'] },
          { cwd: '/' },
          { env: { A: '1' } },
          { stdin: 'x' },
          { onStdout: () => undefined },
          { timeout: -1 },
        ]) {
          await assert.rejects(sandbox.exec('1', options), { code: 'BAD_OPTION' }, JSON.stringify(options));
        }
      });
    });

    test('after destroy it is gone, by whichever way', async () => {
      const provider = makeProvider();
      const gone = async (sandbox: Sandbox): Promise<void> => {
        for (const use of [sandbox.exec('1'), sandbox.readFile('a'), sandbox.writeFile('a', '')])
          await assert.rejects(use, { code: 'SANDBOX_GONE' });
      };
      const one = await provider.create();
      await one.destroy();
      await one.destroy();
      await gone(one);
      const other = await provider.create();
      assert.notEqual(one.id, other.id);
      await provider.destroy(other.id);
      await provider.destroy('unknown');
      await gone(other);
    });

    test('an abort before it starts is INTERRUPTED', async () => {
      await withSandbox(makeProvider(), {}, async (sandbox) => {
        await assert.rejects(sandbox.exec('1', { signal: AbortSignal.abort() }), { code: 'INTERRUPTED' });
      });
    });
  });
}
