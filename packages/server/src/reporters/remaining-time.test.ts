import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimateRemainingTime } from './remaining-time.ts';

test('what is left takes as long as what is done', () => {
  let now = 1000;
  const remaining = estimateRemainingTime(() => now);
  remaining.onEvent({ type: 'item-start', item: 'what it needs' });
  now += 60_000;
  remaining.onEvent({ type: 'item-start', item: 'a', done: 0, total: 5 });
  assert.equal(remaining.text(), '');
  now += 20_000;
  remaining.onEvent({ type: 'item-end', item: 'a', done: 2, total: 5 });
  assert.equal(remaining.text(), 'about 30 s left');
  remaining.onEvent({ type: 'item-end', item: 'e', done: 5, total: 5 });
  assert.equal(remaining.text(), '');
});

test('what was done before took no time', () => {
  let now = 0;
  const remaining = estimateRemainingTime(() => now);
  remaining.onEvent({ type: 'item-start', item: 'a', done: 90, total: 100 });
  now += 10_000;
  remaining.onEvent({ type: 'item-end', item: 'a', done: 91, total: 100 });
  assert.equal(remaining.text(), 'about 1 min 30 s left');
});
