import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { editsBetween, type Edit } from './edits.ts';

const words = (text: string): string[] => text.split('');

function applied(before: readonly string[], edits: readonly Edit[]): string[] {
  let at = 0;
  const parts = edits.map(({ from, to, added }) => {
    const part = [...before.slice(at, from), ...added];
    at = to;
    return part;
  });
  return [...parts, before.slice(at)].flat();
}

describe('what turns one sequence into another', () => {
  test('gives the other one, for any two', () => {
    let seed = 1;
    const draw = (count: number): number => (seed = (seed * 48_271) % 2_147_483_647) % count;
    for (let round = 0; round < 2000; round += 1) {
      const [before, after] = [0, 1].map(() => Array.from({ length: draw(12) }, () => 'abc'[draw(3)] ?? '')) as [
        string[],
        string[],
      ];
      const edits = editsBetween(before, after);
      assert.deepEqual(applied(before, edits), after, `${before.join('')} to ${after.join('')}`);
      for (const [index, { from }] of edits.entries()) assert.ok(from >= (edits[index - 1]?.to ?? 0));
    }
  });

  test('equal sequences differ in nothing', () => {
    assert.deepEqual(editsBetween(words('abc'), words('abc')), []);
    assert.deepEqual(editsBetween([], []), []);
  });

  test('an edit that can stand in several places stands in the first', () => {
    assert.deepEqual(editsBetween(words('xaaay'), words('xaaaay')), [{ from: 1, to: 1, added: ['a'] }]);
    assert.deepEqual(editsBetween(words('xababy'), words('xabababy')), [{ from: 1, to: 1, added: ['a', 'b'] }]);
    assert.deepEqual(editsBetween(words('xaaay'), words('xaay')), [{ from: 1, to: 2, added: [] }]);
  });

  test('sequences that have nothing in common are one edit, however long', () => {
    const [before, after] = ['a', 'b'].map((letter) => Array.from({ length: 50_000 }, (_, at) => `${letter}${at}`)) as [
      string[],
      string[],
    ];
    assert.deepEqual(
      editsBetween(before, after).map(({ from, to, added }) => [from, to, added.length]),
      [[0, 50_000, 50_000]],
    );
  });
});
