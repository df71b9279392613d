import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BaxRows } from '@assay/protocol';
import { renderBaxList } from './render-bax-list.ts';
import { describeTerminal } from './terminal.ts';

const LONG =
  'this machine lacks a Ruby of the series 3.4, a Debian package that brings it, and whatever else a sentence of more than eighty columns can name';

test('every reason stands below the table, whole and once, and no line of the table is wider than a terminal', () => {
  const row = (framework: string, why: string | null): BaxRows['rows'][number] => ({
    scenario: 'ShoppingCartService',
    framework,
    language: 'Ruby',
    cwes: [20, 89, 284, 703],
    specSize: { openapi: 12345, text: 1234 },
    gradable: why === null,
    why,
  });
  const text = renderBaxList(
    [
      row('Ruby-Rails', LONG),
      row('JavaScript-express', null),
      row('JavaScript-fastify', LONG),
      row('PHP-Lumen', 'one\nmore'),
    ],
    describeTerminal({}, {}),
  );
  const lines = text.trimEnd().split('\n');
  assert.deepEqual(lines.slice(-3), ['1 of 4 rows can be graded here', `(1) ${LONG}: 2 rows`, '(2) one more: 1 row']);
  assert.deepEqual(
    lines.slice(1, 5).map((line) => /(yes|no \(\d\))$/.exec(line)?.[0]),
    ['no (1)', 'yes', 'no (1)', 'no (2)'],
  );
  assert.ok(
    lines.slice(0, 5).every((line) => line.length <= 80),
    text,
  );
});
