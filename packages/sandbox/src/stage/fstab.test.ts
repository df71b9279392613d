import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFstab } from './fstab.ts';

test('every character that separates or escapes is written in octal', () => {
  assert.equal(
    formatFstab([{ source: '/a b\tc\n\\', target: '/#x', type: 'none', options: 'bind,ro' }]),
    '/a\\040b\\011c\\012\\134 /\\043x none bind,ro 0 0\n',
  );
});
