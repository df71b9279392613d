import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ChangeSet } from '@assay/files/change-set';
import { composeChange, composeVerifierTree } from './compose-verifier-tree.ts';

const change = (files: Record<string, string>, deleted: string[] = []): ChangeSet => ({
  files: Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text), executable: false })),
  deleted,
});
const shown = (composed: ChangeSet): Record<string, string> =>
  Object.fromEntries(composed.files.map((file) => [file.path, file.content.toString()]));
const compose = (
  submission: ChangeSet,
  hidden: ChangeSet = change({}),
  options: { steering?: string[]; hiddenWins?: boolean } = {},
): ChangeSet =>
  composeChange({
    submission,
    hidden,
    steering: options.steering ?? ['**/conftest.py', 'package.json'],
    hiddenWins: options.hiddenWins ?? true,
  });

test('what steers the verifier stays as at T0, also in a directory with a line break in its name', () => {
  const submission = change(
    { 'conftest.py': 'x', 'a\nb/conftest.py': 'x', '.hidden/conftest.py': 'x', 'src/a.py': 'y' },
    ['package.json'],
  );
  assert.deepEqual(shown(compose(submission)), { 'src/a.py': 'y' });
  assert.deepEqual(compose(submission).deleted, []);
});

test('control: with the seal off all of it goes through', () => {
  const submission = change({ 'conftest.py': 'x', 'a\nb/conftest.py': 'x' }, ['package.json']);
  const composed = compose(submission, change({}), { steering: [] });
  assert.deepEqual(Object.keys(shown(composed)).length, 2);
  assert.deepEqual(composed.deleted, ['package.json']);
});

test('a hidden test wins over the submission, steers when it brings the file itself, and comes back when deleted', () => {
  const hidden = change({ 'tests/conftest.py': 'hidden', 'tests/test_a.py': 'hidden' });
  const composed = compose(change({ 'tests/test_a.py': 'mine' }, ['tests/test_a.py', 'tests/conftest.py']), hidden);
  assert.deepEqual(shown(composed), { 'tests/conftest.py': 'hidden', 'tests/test_a.py': 'hidden' });
  assert.deepEqual(composed.deleted, []);
  assert.equal(
    shown(compose(change({ 'tests/test_a.py': 'mine' }), hidden, { hiddenWins: false }))['tests/test_a.py'],
    'mine',
  );
});

test('a file where a hidden test needs a directory gives way, and the other way round', () => {
  assert.deepEqual(shown(compose(change({ tests: 'a file' }), change({ 'tests/test_a.py': 'h' }))), {
    'tests/test_a.py': 'h',
  });
  assert.deepEqual(shown(compose(change({ 'tests/test_a.py/x': 'below' }), change({ 'tests/test_a.py': 'h' }))), {
    'tests/test_a.py': 'h',
  });
});

test('a file where the verifier mounts its environment gives way, at and above the mount', async () => {
  const t0Directory = await mkdtemp(join(tmpdir(), 'assay-t0-'));
  const tree = await composeVerifierTree(
    {
      task: { meta: { steering: [] } },
      hidden: change({}),
      t0Directory,
      unsealed: new Set(),
      mounts: [{ target: '/workspace/packages/a/node_modules' }, { target: '/opt/env' }],
    },
    change({ packages: 'x', 'src/a.js': 'y', 'packages-of-mine': 'z' }),
  );
  try {
    assert.deepEqual((await readdir(tree.layers[0] ?? '')).sort(), ['packages-of-mine', 'src']);
  } finally {
    await tree.dispose();
    await rm(t0Directory, { recursive: true });
  }
});
