import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mine } from './mine.ts';

test('every flag of the command itself is kept from pipelines', async () => {
  const { SHARED_FLAGS } = await import('@assay/engine/mine/pipelines/pipeline-flags');
  const missing = Object.keys(mine.options).filter((flag) => !SHARED_FLAGS.includes(flag));
  assert.deepEqual(missing, [], 'add them to SHARED_FLAGS of pipeline-flags.ts');
});
