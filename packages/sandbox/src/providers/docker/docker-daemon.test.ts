import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { PrivateDocker } from '@assay/testkit';
import Docker from 'dockerode';
import { attack, INSTANCES, perl, TRACE_PROCESS_1 } from '../../../../testkit/src/conformance/shared-kernel-attacks.ts';
import { DockerProvider } from './docker-provider.ts';

const root = process.getuid?.() === 0;
const MODULE = new URL('docker-provider.ts', import.meta.url).href;

describe('with a daemon', { skip: root ? false : "a Docker daemon of the test's own needs root" }, () => {
  const daemon = root ? new PrivateDocker() : undefined;
  const socketPath = daemon?.socketPath ?? '';
  const image = daemon?.image ?? '';
  const docker = new Docker({ socketPath });
  before(() => daemon?.start());
  after(() => daemon?.stop());

  const remains = async (): Promise<string[]> => {
    const containers = await docker.listContainers({ all: true });
    const { Volumes: volumes } = await docker.listVolumes();
    return [...containers.map(({ Id }) => `container ${Id}`), ...volumes.map(({ Name }) => `volume ${Name}`)];
  };
  const eventuallyNothing = async (): Promise<void> => {
    for (let attempt = 0; attempt < 200 && (await remains()).length > 0; attempt++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(await remains(), []);
  };

  test('an image that is not there, or none, or a runtime that is not there is refused', async () => {
    await assert.rejects(new DockerProvider({ socketPath }).create(), { code: 'BAD_OPTION' });
    await assert.rejects(new DockerProvider({ socketPath }).create({ image: 'no-such-image' }), { code: 'BAD_OPTION' });
    await assert.rejects(new DockerProvider({ socketPath, image, runtime: 'no-such-runtime' }).create(), {
      code: 'PROVIDER_UNAVAILABLE',
    });
    assert.deepEqual(await remains(), []);
  });

  test('two sandboxes are one user, who has what the kernel counts only once', async () => {
    const provider = new DockerProvider({ socketPath, image });
    assert.deepEqual(await attack(provider, {}, INSTANCES), { neighbour: 'taken', same: 'taken' });
  });

  test('code inside may trace process 1, which tells the exit code', async () => {
    const sandbox = await new DockerProvider({ socketPath, image }).create();
    assert.equal(await perl(sandbox, TRACE_PROCESS_1), 'traced');
    await sandbox.destroy();
  });

  test('a Dockerfile is built, without network, and its environment counts', async () => {
    const context = mkdtempSync(join(tmpdir(), 'assay-docker-context-'));
    try {
      writeFileSync(join(context, 'tool'), '#!/bin/sh\necho "tool $TOOL_VERSION"\n', { mode: 0o755 });
      writeFileSync(
        join(context, 'Dockerfile'),
        `FROM ${image}\nENV TOOL_VERSION=7 PATH=/opt/tool:$PATH\nCOPY tool /opt/tool/tool\nRUN cut -d: -f1 /proc/net/dev > /devices\n`,
      );
      writeFileSync(join(context, 'Broken'), `FROM ${image}\nRUN echo the reason >&2; exit 3\n`);
      const sandbox = await new DockerProvider({ socketPath, build: { context } }).create();
      const result = await sandbox.exec('tool; tail -n +3 /devices | tr -d " "');
      await sandbox.destroy();
      assert.equal(result.stdout, 'tool 7\nlo\n');
      await assert.rejects(new DockerProvider({ socketPath, build: { context, dockerfile: 'Broken' } }).create(), {
        code: 'BAD_OPTION',
        message: /the reason/,
      });
    } finally {
      rmSync(context, { recursive: true, force: true });
    }
  });

  test('a volume that the image declares is on the limited disk, and is kept from one command to the next', async () => {
    const context = mkdtempSync(join(tmpdir(), 'assay-docker-context-'));
    try {
      writeFileSync(join(context, 'Dockerfile'), `FROM ${image}\nVOLUME /data /tmp\n`);
      const sandbox = await new DockerProvider({ socketPath, build: { context } }).create({
        limits: { diskBytes: 8 * 1024 * 1024 },
      });
      assert.equal((await sandbox.exec('echo kept > /data/kept; head -c 20m /dev/zero > /data/big')).exitCode, 1);
      assert.equal((await sandbox.exec('cat /data/kept')).stdout, 'kept\n');
      await sandbox.destroy();
      assert.deepEqual(await remains(), []);
    } finally {
      rmSync(context, { recursive: true, force: true });
    }
  });

  test('50 MB go in and out unchanged', async () => {
    const sandbox = await new DockerProvider({ socketPath, image }).create({
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
    assert.deepEqual(await remains(), [], 'a sandbox leaves neither containers nor volumes');
  });

  test('with the runtime runsc commands run under gVisor', async () => {
    const provider = new DockerProvider({ socketPath, image, runtime: 'runsc' });
    assert.equal(provider.isolation, 'gvisor');
    const lanes = [{ port: 7001, socket: '/run/lane.sock' }];
    await assert.rejects(provider.create({ network: { kind: 'lanes', lanes } }), { code: 'BAD_OPTION' });
    await assert.rejects(provider.create({ unsealed: ['network'] }), { code: 'BAD_OPTION' });
    const sandbox = await provider.create();
    const other = await new DockerProvider({ socketPath, image }).create();
    await sandbox.writeFile('input', 'kept');
    const result = await sandbox.exec('cat input -; read -r kernel < /proc/version; echo " $kernel" >&2; exit 4', {
      stdin: ' in',
    });
    assert.deepEqual([result.stdout, result.exitCode], ['kept in', 4]);
    assert.notEqual(result.stderr, (await other.exec('read -r kernel < /proc/version; echo " $kernel" >&2')).stderr);
    assert.equal((await sandbox.exec('sleep 1000', { timeout: 3000 })).exitCode, 124);
    await Promise.all([sandbox.destroy(), other.destroy()]);
    assert.deepEqual(await remains(), []);
  });

  test('what a killed owner left is removed by the next one; what a living owner has is not', async () => {
    const script = `
      const { DockerProvider } = await import(${JSON.stringify(MODULE)});
      const sandbox = await new DockerProvider(${JSON.stringify({ socketPath, image })}).create();
      sandbox.exec('touch ready; sleep 1000', { timeout: 600_000 }).catch(() => {});
      while ((await sandbox.exec('test -e ready')).exitCode !== 0);
      console.log('ready');`;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(owner.stdout, 'data');
    await (await new DockerProvider({ socketPath, image }).create()).destroy();
    assert.ok((await remains()).length > 0, 'control: a living owner is left alone');
    const ended = once(owner, 'exit');
    owner.kill('SIGKILL');
    await ended;
    assert.ok((await remains()).length > 0, 'control: a killed owner leaves something');
    await (await new DockerProvider({ socketPath, image }).create()).destroy();
    await eventuallyNothing();
  });
});
