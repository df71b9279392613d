import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isLinked, type Linked } from './link-of-tests.ts';

const at = (hours: number): Date => new Date(Date.UTC(2030, 0, 1, hours));
const FIX: Linked = {
  commit: 'abcdef0123'.repeat(4),
  message: 'Keep empty rows',
  time: at(0),
  paths: ['lib/reader.py'],
  diff: '@@ -1,2 +1,3 @@ def read_rows(text):\n     rows = text\n-    return rows.strip()\n+    return rows\n',
};
const TESTS: Linked = {
  commit: '0123abcdef'.repeat(4),
  message: 'More',
  time: at(1),
  paths: ['tests/test_other.py'],
  diff: '@@ -1 +1,3 @@\n import lib\n+def test_rows():\n+    assert lib.read_rows("")\n',
};
const linked = (fix: Partial<Linked>, tests: Partial<Linked>, distance = 1): boolean =>
  isLinked({ ...FIX, ...fix }, { ...TESTS, ...tests }, distance);

describe('tests that came after their fix', () => {
  test('nothing but their place links them not', () => assert.ok(!linked({}, {})));

  test('by the number of an issue or a pull request', () => {
    assert.ok(linked({ message: 'Merge pull request #57 from a/b' }, { message: 'Test for #57' }, 5));
    assert.ok(!linked({ message: 'Keep rows (#57)' }, { message: 'Test for #576' }));
  });

  test('by the name of the commit', () => {
    assert.ok(linked({}, { message: 'Test what abcdef0 mends' }, 5));
    assert.ok(!linked({}, { message: 'Test what abcdee0 mends' }));
  });

  test('by a name that the fix makes and the tests begin to use', () => {
    const diff = '@@ -1 +1,3 @@\n+def read_again(text, most=None):\n+    pass\n';
    const uses = (line: string): Partial<Linked> => ({ diff: `@@ -1 +1,2 @@\n import lib\n+${line}\n` });
    assert.ok(linked({ diff }, uses('lib.read_again("")'), 5));
    assert.ok(linked({ diff }, uses('lib.read("", most=2)'), 5));
    assert.ok(!linked({ diff }, uses('lib.read("", text=2)')));
    const known = { diff: `${TESTS.diff} lib.read_again\n+lib.read_again("")\n` };
    assert.ok(!linked({ diff }, known), 'they used it before');
    assert.ok(!linked({ diff: `${diff} x = read_again()\n` }, uses('lib.read_again("")')), 'it was there before');
  });

  test('as the next commit within a day, by the name of a file', () => {
    const next = { message: 'Add tests for rows', paths: ['tests/test_reader.py'] };
    assert.ok(linked({}, next));
    for (const paths of [['reader.spec.js'], ['test/reader-test.js'], ['reader_test.py']])
      assert.ok(linked({}, { ...next, paths }), paths[0]);
    assert.ok(!linked({}, next, 2), 'not the next');
    assert.ok(!linked({}, { ...next, time: at(25) }), 'a day later');
    assert.ok(!linked({}, { ...next, paths: ['tests/test_readers.py'] }), 'another file');
    for (const message of ['Keep more rows', 'Fix tests', 'Move the tests of rows', 'test: refactor'])
      assert.ok(!linked({}, { ...next, message }), message);
  });
});
