import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { describeProviderConformance } from '@assay/testkit';
import { LocalSandbank } from './local-sandbank.fixture.ts';
import { SandbankAdapter } from './sandbank-adapter.ts';

const NO_SUCH_OPTION = "Sandbank's interface has no such option";

describeProviderConformance('sandbank', () => new SandbankAdapter(new LocalSandbank()), {
  lacks: {
    isolation: 'it depends on the provider behind it',
    'exec-isolation': 'a sandbox is one machine, on which processes see each other',
    'exec-lifetime': 'a process that leaves its session lives until the sandbox is destroyed',
    network: NO_SUCH_OPTION,
    lanes: NO_SUCH_OPTION,
    limits: NO_SUCH_OPTION,
    'host-mounts': NO_SUCH_OPTION,
    layers: NO_SUCH_OPTION,
    seals: NO_SUCH_OPTION,
    'host-view': 'a sandbox may be anywhere',
    export: 'a sandbox may be anywhere',
    'exposed-ports': 'a sandbox may be anywhere',
    usage: NO_SUCH_OPTION,
    'file-facts': NO_SUCH_OPTION,
    'root-tree': NO_SUCH_OPTION,
    'host-toolchain': 'its tree is an image',
    'user-namespace': "the user is the provider's affair",
  },
});

describe('SandbankAdapter', () => {
  test('claims no isolation unless it is told of one', () => {
    assert.equal(new SandbankAdapter(new LocalSandbank()).isolation, 'none');
    assert.equal(new SandbankAdapter(new LocalSandbank(), { isolation: 'vm' }).isolation, 'vm');
  });

  test('a short exec is one call', async () => {
    const local = new LocalSandbank();
    const sandbox = await new SandbankAdapter(local).create();
    local.calls.exec = 0;
    assert.equal((await sandbox.exec('echo $0')).exitCode, 0);
    assert.deepEqual(local.calls, { exec: 1, writeFile: 0, readFile: 0 });
    await sandbox.destroy();
  });

  test('nothing in a command, a variable, a directory or an argument is taken for shell', async () => {
    const sandbox = await new SandbankAdapter(new LocalSandbank()).create();
    const hostile = `'; touch /tmp/owned; '$(touch /tmp/owned)\`touch /tmp/owned\`\n"\\\nassay-end-of-command\ntouch /tmp/owned\n`;
    const shown = await sandbox.exec('', { argv: ['printf', '%s|%s', hostile, 'x'], env: { HOSTILE: hostile } });
    assert.equal(shown.stdout, `${hostile}|x`);
    assert.equal((await sandbox.exec('printf %s "$HOSTILE"', { env: { HOSTILE: hostile } })).stdout, hostile);
    assert.equal((await sandbox.exec('true', { cwd: `/workspace/${hostile}` })).exitCode, 125);
    assert.equal((await sandbox.exec('test -e /tmp/owned')).exitCode, 1);
    await sandbox.destroy();
  });

  test('50 MB go in and out unchanged', async () => {
    const sandbox = await new SandbankAdapter(new LocalSandbank()).create({
      limits: { outputBytes: 64 * 1024 * 1024 },
    });
    const bytes = randomBytes(50 * 1024 * 1024);
    await sandbox.writeFile('big', bytes);
    assert.equal(
      (await sandbox.exec('sha256sum < big')).stdout.split(' ')[0],
      createHash('sha256').update(bytes).digest('hex'),
    );
    const text = 'ü'.repeat(25 * 1024 * 1024);
    await sandbox.writeFile('text', text);
    assert.ok((await sandbox.readFile('text')) === text);
    await sandbox.destroy();
  });

  test('a provider that takes only short writes is given pieces', async () => {
    const local = new LocalSandbank();
    local.longestWrite = 96 * 1024;
    const sandbox = await new SandbankAdapter(local).create();
    const bytes = randomBytes(300_001);
    await sandbox.writeFile('pieces', bytes);
    assert.equal(
      (await sandbox.exec('sha256sum < pieces')).stdout.split(' ')[0],
      createHash('sha256').update(bytes).digest('hex'),
    );
    const long = `echo ${'x'.repeat(120_000)}`;
    assert.equal((await sandbox.exec(long)).stdout.length, 120_001);
    await sandbox.destroy();
  });

  test('what a command leaves in its session is dead when it has ended, and after its time', async () => {
    const sandbox = await new SandbankAdapter(new LocalSandbank()).create();
    const count = async (): Promise<number> => Number((await sandbox.exec('wc -c < marks')).stdout);
    const marks = '(trap "" TERM HUP; while :; do echo x >> marks; sleep 0.1; done) &';
    for (const [end, options, exitCode] of [
      ['exit 5', {}, 5],
      ['sleep 1000', { timeout: 2000 }, 124],
    ] as const) {
      assert.equal(
        (await sandbox.exec(`${marks} while ! [ -s marks ]; do sleep 0.05; done; ${end}`, options)).exitCode,
        exitCode,
      );
      const before = await count();
      assert.ok(before > 0);
      await new Promise((resolve) => setTimeout(resolve, 600));
      assert.equal(await count(), before);
    }
    await sandbox.destroy();
  });

  test('a sandbox that is gone behind our back is gone', async () => {
    const local = new LocalSandbank();
    const sandbox = await new SandbankAdapter(local).create();
    await local.destroy(sandbox.id);
    await assert.rejects(sandbox.exec('true'), { code: 'SANDBOX_GONE' });
    await sandbox.destroy();
  });

  test('an image without what the scripts need is refused, and its sandbox destroyed', async () => {
    const local = new LocalSandbank();
    const destroyed: string[] = [];
    const bare = {
      name: 'bare',
      create: async () => {
        const inner = await local.create();
        return { ...inner, exec: async () => ({ stdout: 'there is no setsid\n', stderr: '', exitCode: 0 }) };
      },
      destroy: async (id: string) => {
        destroyed.push(id);
        await local.destroy(id);
      },
    };
    await assert.rejects(new SandbankAdapter(bare).create(), { code: 'PROVIDER_UNAVAILABLE' });
    assert.equal(destroyed.length, 1);
  });
});
