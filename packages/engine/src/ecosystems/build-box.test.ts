import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssayError, type ErrorCode } from '@assay/protocol';
import { bubblewrapProvider } from '@assay/sandbox';
import { withBuildBox } from './build-box.ts';

const codeOf = (argv: string[], minutes?: number): Promise<ErrorCode | null> =>
  withBuildBox({ provider: bubblewrapProvider(), mounts: [], env: { PATH: '/usr/bin:/bin' }, minutes }, (box) =>
    box.run('a step', argv).then(
      () => null,
      (error: unknown) => {
        assert.ok(AssayError.is(error));
        return error.code;
      },
    ),
  );

test('a build that takes too long is a matter of the machine, and one that fails a matter of the repository', async () => {
  assert.equal(await codeOf(['/bin/sleep', '600'], 0.01), 'BUILD_TIMED_OUT');
  assert.equal(await codeOf(['/bin/false']), 'ENVIRONMENT_FAILED');
  assert.equal(await codeOf(['/bin/true']), null);
});

test('a build that lacks a compiler is told what to install, and one that wants a network that there is none', async () => {
  const messageOf = (script: string): Promise<string> =>
    withBuildBox({ provider: bubblewrapProvider(), mounts: [], env: { PATH: '/usr/bin:/bin' } }, (box) =>
      box.run('a step', ['/bin/sh', '-c', script]).then(
        () => '',
        (error: unknown) => (AssayError.is(error) ? `${error.code} ${error.message}` : ''),
      ),
    );
  assert.match(await messageOf('PATH=/nowhere gcc -c a.c'), /^TOOL_MISSING .*a C compiler.*install `gcc`.*a step/);
  assert.match(await messageOf('curl http://somewhere.example/x'), /^ENVIRONMENT_FAILED .*wants a network/);
});
