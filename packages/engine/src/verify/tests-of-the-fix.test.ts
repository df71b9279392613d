import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SplitOracle } from '../bundle/split-oracle.ts';
import type { RepositoryTask } from '../bundle/task.ts';
import { testsOfTheFix } from './tests-of-the-fix.ts';

const [FIX, KEEPS, OTHER] = ['test/a.test.js > mended', 'test/a.test.js > kept', 'test/b.test.js > kept'] as const;

/** A task of which only what names its tests is looked at. */
function taskOf(files: string[], failToPass: string[], passToPass: string[]): RepositoryTask {
  const test = { ecosystem: 'node', runner: 'node:test', command: ['node', '--test'], files, timeoutSec: 60 };
  const meta = { test, fail_to_pass: failToPass, pass_to_pass: passToPass, quarantined: ['test/c.test.js > wavers'] };
  // The rest of a task is not looked at.
  return { id: 'task', directory: '/nowhere', meta } as unknown as RepositoryTask;
}

const BOTH = ['test/a.test.js', 'test/b.test.js'];

describe('the tests of the fix', () => {
  test('are those of the files with one, where the runner takes files alone', () => {
    const task = taskOf(BOTH, [FIX], [KEEPS, OTHER]);
    const narrow = testsOfTheFix({ task, split: null });
    assert.deepEqual(narrow?.task.meta, {
      ...task.meta,
      test: { ...task.meta.test, files: ['test/a.test.js'] },
      pass_to_pass: [KEEPS],
    });
    assert.deepEqual([narrow.split, narrow.task.directory, narrow.selects], [null, '/nowhere', false]);
    assert.deepEqual(task.meta.test.files, BOTH, 'the task itself stays as it is');
  });

  test('are all when every file holds one, or no files are named', () => {
    for (const task of [
      taskOf(['test/a.test.js'], [FIX], [KEEPS]),
      taskOf(BOTH, [FIX, 'test/b.test.js > mended'], [KEEPS, OTHER]),
      taskOf([], [FIX], [KEEPS, OTHER]),
    ])
      assert.equal(testsOfTheFix({ task, split: null }), null, task.meta.test.files.join());
  });

  test('stand alone where the runner takes single tests, unless no others are required', () => {
    const fix = 'tests/test_a.py::test_mended[1]';
    const ofPytest = (passToPass: string[]): RepositoryTask => {
      const task = taskOf(['tests/test_a.py'], [fix], passToPass);
      return { ...task, meta: { ...task.meta, test: { ...task.meta.test, ecosystem: 'python', runner: 'pytest' } } };
    };
    const narrow = testsOfTheFix({ task: ofPytest(['tests/test_a.py::test_kept']), split: null });
    assert.deepEqual(
      [narrow?.selects, narrow?.task.meta.test.files, narrow?.task.meta.fail_to_pass, narrow?.task.meta.pass_to_pass],
      [true, ['tests/test_a.py'], [fix], []],
    );
    assert.equal(testsOfTheFix({ task: ofPytest([]), split: null }), null);
  });

  test('leave of a split plan what belongs to them, and of its files every byte', () => {
    const side = { files: [{ path: 'test/b.test.js', content: Buffer.from('x'), executable: false }], deleted: [] };
    const plan: SplitOracle['plan'] = {
      version: 1,
      evaluator: 1,
      runner: 'node:test',
      hidden: '0'.repeat(64),
      stripped: '1'.repeat(64),
      files: BOTH,
      control: [FIX],
      signals: ['eval'],
      sites: [],
      tests: [FIX, KEEPS, OTHER].map((id) => ({ id, class: 'split' as const, row: 0, stripped: id, sites: {} })),
      expectations: { sites: [] },
    };
    const split = { plan, stripped: side, control: side };
    const narrow = testsOfTheFix({ task: taskOf(BOTH, [FIX], [KEEPS, OTHER]), split });
    assert.deepEqual(narrow?.split, {
      ...split,
      plan: { ...plan, files: ['test/a.test.js'], tests: plan.tests.slice(0, 2) },
    });
  });
});
