import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addedRuns, decodeText } from './added-lines.ts';

const added = (before: string | null, after: string): string[][] => addedRuns(before, after).map((run) => run.lines);

describe('addedRuns', () => {
  test('a new file is one run', () => {
    assert.deepEqual(added(null, 'a\nb\n'), [['a', 'b']]);
  });

  test('insertions and replacements, apart', () => {
    assert.deepEqual(added('a\nb\nc\nd\n', 'a\nx\nb\nc\ny\nz\n'), [['x'], ['y', 'z']]);
  });

  test('indentation, line ends and inner white space add nothing', () => {
    assert.deepEqual(added('if x:\n  a  = 1\n', 'if x:\r\n\t\ta = 1\r\n'), []);
  });

  test('deleting adds nothing', () => {
    assert.deepEqual(added('a\nb\nc\n', 'a\nc\n'), []);
  });

  test('a repeated line that was there once is an addition', () => {
    assert.deepEqual(added('a\n', 'a\na\n').flat(), ['a']);
  });

  test('marks as few lines as possible, and leaves a subsequence of the old file, whatever the edit', () => {
    let seed = 7;
    const next = (below: number): number => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return Math.floor(seed / 65536) % below;
    };
    for (let round = 0; round < 300; round += 1) {
      const before = Array.from({ length: next(30) }, () => `l${next(6)}`);
      const after = Array.from({ length: next(30) }, () => `l${next(6)}`);
      const fresh = added(before.join('\n'), after.join('\n')).flat();
      assert.equal(fresh.length, after.length - longestCommonSubsequence(before, after));
    }
  });

  test('very different large files are still told apart', () => {
    const before = Array.from({ length: 5000 }, (_, index) => `old ${index}`);
    const after = Array.from({ length: 5000 }, (_, index) => (index % 2 === 0 ? `old ${index}` : `new ${index}`));
    const fresh = added(before.join('\n'), after.join('\n')).flat();
    assert.equal(fresh.length, 2500);
  });
});

function longestCommonSubsequence(a: string[], b: string[]): number {
  let previous = new Array<number>(b.length + 1).fill(0);
  for (const left of a) {
    const row = [0];
    for (const [index, right] of b.entries()) {
      row.push(left === right ? (previous[index] ?? 0) + 1 : Math.max(row[index] ?? 0, previous[index + 1] ?? 0));
    }
    previous = row;
  }
  return previous.at(-1) ?? 0;
}

test('decodeText reads UTF-8, Latin-1 and marked UTF-16, and refuses binary', () => {
  assert.equal(decodeText(Buffer.from('\ufeffcafé')), 'café');
  assert.equal(decodeText(Buffer.from('café', 'latin1')), 'café');
  assert.equal(decodeText(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('café', 'utf16le')])), 'café');
  assert.equal(decodeText(Buffer.from([1, 0, 2])), null);
});
