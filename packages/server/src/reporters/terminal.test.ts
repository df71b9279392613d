import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeTerminal } from './terminal.ts';

const TTY = { isTTY: true, columns: 120 };
const coloured = (stream: { isTTY?: boolean; columns?: number }, environment: NodeJS.ProcessEnv): boolean =>
  describeTerminal(stream, environment).style('red', 'x') !== 'x';

test('colour only on a terminal, and not against NO_COLOR', () => {
  assert.equal(coloured(TTY, {}), true);
  assert.equal(coloured({}, {}), false);
  assert.equal(coloured(TTY, { NO_COLOR: '1' }), false);
  assert.equal(coloured(TTY, { NO_COLOR: '' }), true);
  assert.equal(coloured(TTY, { TERM: 'dumb' }), false);
  assert.equal(coloured({}, { FORCE_COLOR: '1' }), true);
  assert.equal(coloured({}, { FORCE_COLOR: '1', NO_COLOR: '1' }), false);
});

test('drawing over only on a real terminal', () => {
  assert.equal(describeTerminal(TTY, {}).live, true);
  assert.equal(describeTerminal(TTY, { TERM: 'dumb' }).live, false);
  assert.equal(describeTerminal(TTY, { CI: 'true' }).live, false);
  assert.equal(describeTerminal({}, {}).live, false);
});

test('width follows the terminal', () => {
  const stream = { isTTY: true, columns: 120 };
  const terminal = describeTerminal(stream, {});
  assert.equal(terminal.columns, 120);
  stream.columns = 60;
  assert.equal(terminal.columns, 60);
  assert.equal(describeTerminal({}, {}).columns, 80);
});

test('foreign text is harmless, unless the seal is off', () => {
  assert.equal(describeTerminal(TTY, {}).foreign('\u001b[2J'), '␛[2J');
  assert.equal(describeTerminal(TTY, {}, true).foreign('\u001b[2J'), '\u001b[2J');
});
