import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createProgress } from './create-progress.ts';
import { describeTerminal } from './terminal.ts';
import { textWidth } from './text-width.ts';

const HIDE = '\u001b[?25l';
const SHOW = '\u001b[?25h';

function recorder(tty: boolean): { progress: ReturnType<typeof createProgress>; writes: string[] } {
  const writes: string[] = [];
  const terminal = describeTerminal(tty ? { isTTY: true, columns: 40 } : {}, { NO_COLOR: '1' });
  return { progress: createProgress(terminal, (text) => writes.push(text)), writes };
}

describe('on a terminal', () => {
  test('items are drawn over, and the cursor comes back', async () => {
    const { progress, writes } = recorder(true);
    progress.onEvent({ type: 'item-start', item: 'candidate-1', text: 'building', total: 3 });
    progress.onEvent({ type: 'item-progress', item: 'candidate-1', text: 'proving' });
    while (writes.length < 2) await sleep(10);
    progress.onEvent({ type: 'item-end', item: 'candidate-1', ok: true });
    progress.onEvent({ type: 'note', item: '', text: 'something to keep' });
    progress.stop();
    progress.stop();
    const screen = writes.join('');
    assert.match(screen, /0\/3 done · 1 running/);
    assert.match(screen, /candidate-1 {2}proving/);
    assert.equal(screen.split(HIDE).length, 2);
    assert.equal(screen.split(SHOW).length, 2);
    assert.ok(screen.trimEnd().endsWith(`something to keep\n${SHOW}`));
  });

  test('what was made ready before the first item is not counted with the items', async () => {
    const { progress, writes } = recorder(true);
    progress.onEvent({ type: 'item-start', item: 'what they need' });
    progress.onEvent({ type: 'item-end', item: 'what they need', ok: true });
    progress.onEvent({ type: 'item-start', item: 'task-1', done: 0, total: 2 });
    while (writes.length === 0) await sleep(10);
    progress.stop();
    assert.match(writes.join(''), /0\/2 done · 1 running/);
  });

  test('a thousand events draw no more than the clock allows', async () => {
    const { progress, writes } = recorder(true);
    const startedAt = performance.now();
    for (let index = 0; index < 1000; index += 1)
      progress.onEvent({ type: 'item-progress', item: `item ${index}`, text: 'x' });
    while (writes.length === 0) await sleep(10);
    progress.stop();
    const allowed = (performance.now() - startedAt) / 100 + 2;
    assert.ok(writes.length <= allowed, `${writes.length} writes`);
    assert.match(writes.join(''), /and 988 more/);
  });

  test('no line is wider than the terminal, whatever it is told', async () => {
    const { progress, writes } = recorder(true);
    progress.onEvent({ type: 'item-start', item: '日本語'.repeat(30), text: 'y'.repeat(200) });
    while (writes.length === 0) await sleep(10);
    progress.stop();
    for (const line of writes.join('').split('\n')) assert.ok(textWidth(line) < 40);
  });

  test('nothing is written when nothing happened', () => {
    const { progress, writes } = recorder(true);
    progress.stop();
    assert.deepEqual(writes, []);
  });
});

describe('elsewhere', () => {
  test('a line for each end and each note, without control characters', () => {
    const { progress, writes } = recorder(false);
    progress.onEvent({ type: 'item-start', item: 'task\u001b[2J', text: 'starting' });
    progress.onEvent({ type: 'note', item: 'task', text: 'two\nlines' });
    progress.onEvent({ type: 'item-end', item: 'task\u001b[2J', text: 'admitted\r', ok: true, done: 1, total: 2 });
    progress.onEvent({ type: 'item-end', item: 'other', text: 'flaky', ok: false, done: 2, total: 2 });
    progress.stop();
    const [note, first = '', second] = writes;
    assert.equal(note, 'task: two lines\n');
    assert.match(first, /^\[1\/2\] ok task␛\[2J {2}admitted {2}\d/);
    assert.equal(second, '[2/2] no other  flaky\n');
  });
});
