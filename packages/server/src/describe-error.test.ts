import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { describeError } from './describe-error.ts';

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('it did not throw');
}

test('a directory that the system does not make is one line, and the fault of the machine', () => {
  for (const place of ['/dev/null/below', '/nowhere-at-all/below']) {
    const { exitCode, text, document } = describeError(
      thrownBy(() => mkdirSync(place)),
      null,
    );
    assert.deepEqual([exitCode, document.error.kind], [5, 'machine']);
    assert.match(text, /^error: EN[^\n]+, mkdir [^\n]+$/);
  }
});

test('what nobody expected is a bug, with its stack', () => {
  const { exitCode, text } = describeError(new TypeError('x is no function'), null);
  assert.equal(exitCode, 1);
  assert.match(text, /this is a bug in Assay[^]+describe-error\.test/);
});

test('a full disk that nobody foresaw is one line, and the fault of the machine', () => {
  const { exitCode, text } = describeError(
    thrownBy(() => writeFileSync('/dev/full', 'x')),
    null,
  );
  assert.equal(exitCode, 5);
  assert.match(text, /^error: ENOSPC: no space left on device[^\n]+$/);
});
