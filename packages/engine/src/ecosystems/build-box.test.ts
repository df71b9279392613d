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
