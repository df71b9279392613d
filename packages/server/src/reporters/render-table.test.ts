import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderTable } from './render-table.ts';
import { describeTerminal, type Terminal } from './terminal.ts';
import { textWidth } from './text-width.ts';

const plain: Terminal = describeTerminal({}, {});
const coloured: Terminal = describeTerminal({ isTTY: true, columns: 40 }, {});

test('columns line up, numbers to the right', () => {
  const table = renderTable(
    [{ title: 'task' }, { title: 'n', align: 'right' }],
    [
      ['one', '1'],
      ['日本', '100'],
    ],
    plain,
  );
  assert.equal(table, 'task    n\none     1\n日本  100\n');
});

test('a table is no wider than the terminal, and cuts where it may', () => {
  const rows = [
    ['a'.repeat(100), 'kept whole'],
    ['日'.repeat(60), 'x'],
  ];
  const table = renderTable([{ title: 'long', shrink: true }, { title: 'short' }], rows, plain);
  for (const line of table.trimEnd().split('\n')) assert.ok(textWidth(line) <= 80, line);
  assert.match(table, /…  kept whole/);
});

test('without a column that may shrink, the widest gives', () => {
  const table = renderTable([{ title: 'a' }, { title: 'b' }], [['x'.repeat(90), 'y'.repeat(10)]], plain);
  assert.match(table, /^x+…  y{10}$/m);
});

test('colour changes no width', () => {
  const rows = [
    ['pass', 'x'.repeat(60)],
    ['fail', 'y'],
  ];
  const paint = (text: string, column: number): string => (column === 0 ? coloured.style('green', text) : text);
  const lines = renderTable([{ title: 'outcome' }, { title: 'name', shrink: true }], rows, coloured, paint)
    .trimEnd()
    .split('\n');
  assert.ok(lines[1]?.includes('\u001b[32mpass'));
  for (const line of lines) assert.ok(textWidth(line) <= 40, line);
});

test('an empty table is its head', () => {
  assert.equal(renderTable([{ title: 'a' }, { title: 'b' }], [], plain), 'a  b\n');
});

test('a cell with $& in it is not taken for a pattern', () => {
  assert.equal(renderTable([{ title: 'a' }], [["$&$'"]], plain), "a\n$&$'\n");
});
