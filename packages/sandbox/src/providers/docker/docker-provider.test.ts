import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { describeProviderConformance, PrivateDocker } from '@assay/testkit';
import { DockerProvider } from './docker-provider.ts';

const MODULE = new URL('docker-provider.ts', import.meta.url).href;

/** Runs a script in another process and returns what it prints. */
function runScript(script: string): string {
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
}

test('without dockerode the error names what to install', () => {
  const said = runScript(`
    import { registerHooks } from 'node:module';
    registerHooks({ resolve(specifier, context, next) {
      if (specifier === 'dockerode') throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' });
      return next(specifier, context);
    } });
    const { DockerProvider } = await import(${JSON.stringify(MODULE)});
    await new DockerProvider({ image: 'x' }).create().catch((error) => console.log(error.code, error.message));`);
  assert.match(said, /^PROVIDER_UNAVAILABLE .*npm install dockerode/);
});

test('without a daemon the provider is unavailable', async () => {
  await assert.rejects(new DockerProvider({ image: 'x', socketPath: '/nowhere/docker.sock' }).create(), {
    code: 'PROVIDER_UNAVAILABLE',
  });
});

test('layers are refused before any daemon is asked', async () => {
  const provider = new DockerProvider({ image: 'x', socketPath: '/nowhere/docker.sock' });
  await assert.rejects(provider.create({ mounts: [{ kind: 'layers', sources: [], target: '/data' }] }), {
    code: 'BAD_OPTION',
  });
});

/** Each sandbox takes half a second to a second here, so that only `./assay test --all` has them all. */
if (process.env['ASSAY_TEST_ALL'] === '1') {
  describe('all that a provider must do', () => {
    const root = process.getuid?.() === 0;
    const daemon = root ? new PrivateDocker() : undefined;
    let provider: DockerProvider | undefined;
    before(() => daemon?.start());
    after(() => daemon?.stop());

    describeProviderConformance(
      'docker',
      () => {
        provider ??= new DockerProvider({ image: daemon?.image ?? '', socketPath: daemon?.socketPath ?? '' });
        return provider;
      },
      {
        skip: root ? undefined : "a Docker daemon of the test's own needs root",
        lacks: {
          layers: 'Docker mounts no overlays of directories',
          'host-view': "the files are in the memory of the daemon's machine",
          'exposed-ports': "the network of a container is in the daemon's machine",
          usage: 'the daemon does not tell it for a sandbox',
          'file-facts': 'its files are reached by writeFile, readFile and exec only',
          'root-tree': 'its tree is an image',
          export: "the files are in the memory of the daemon's machine",
          'host-toolchain': 'its tree is an image',
          'user-namespace': 'the user has the same id inside and outside, one that owns nothing',
        },
      },
    );
  });
}
