import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movedIds, tellsTheDay } from './unstable-ids.ts';

test('ids that differ in a time or an address alone are the same test', () => {
  for (const [a, b] of [
    ['t.py::test[10:17:14 2026-11-23]', 't.py::test[10:18:01 2026-11-23]'],
    ['t.py::test[11-23-2026 23:59:59]', 't.py::test[11-24-2026 00:00:01]'],
    ['t.py::test[2026-11-23T10:17:14.123456]', 't.py::test[2026-11-23T10:17:15.000002]'],
    ['t.py::test[<A object at 0x7f3a5c0d1e80>]', 't.py::test[<A object at 0x7f3a5c0d1fa0>]'],
    ['a.js > at 1795428000', 'a.js > at 1795428007'],
    ['a.js > 3f2504e0-4f89-11d3-9a0c-0305e82c3301', 'a.js > 3f2504e0-4f89-11d3-9a0c-0305e82c3302'],
  ] as const) {
    assert.deepEqual([...movedIds([a, 'x'], [b, 'x', 'y'])], [[a, b]]);
  }
});

test('other ids are other tests, and a test has one partner', () => {
  assert.deepEqual([...movedIds(['test[3]'], ['test[4]'])], []);
  assert.deepEqual([...movedIds(['test[10:17]'], ['other[10:18]'])], []);
  assert.deepEqual(
    [...movedIds(['t[1:00:01]', 't[1:00:02]'], ['t[1:00:02]', 't[1:00:03]'])],
    [['t[1:00:01]', 't[1:00:03]']],
  );
  assert.equal(movedIds(['t[1:00:01]', 't[1:00:02]'], ['t[1:00:03]']).size, 1);
});

test('an id tells the day in whatever form', () => {
  const now = new Date('2026-11-03T23:30:00Z');
  for (const day of [
    '2026-11-03',
    '11/03/2026',
    '04.11.2026',
    '20261102',
    'Nov 3, 2026',
    '3 November 2026',
    '1793748600',
    '1793748600123',
  ])
    assert.ok(tellsTheDay(`t.py::test[${day} 10:00]`, now), day);
  for (const day of ['2026-11-13', '2025-11-03', '1500000000', '10:17:14', 'Nov 30, 2026'])
    assert.ok(!tellsTheDay(`t.py::test[${day}]`, now), day);
});
