import assert from 'node:assert/strict';
import { test } from 'node:test';
import { padText, textWidth, truncateText } from './text-width.ts';

test('width is in columns, not in code units', () => {
  const cases: Array<[string, number]> = [
    ['', 0],
    ['abc', 3],
    ['Grüße', 5],
    ['Gru\u0308ße', 5],
    ['日本語', 6],
    ['한국', 4],
    ['ａｂ', 4],
    ['👩‍👩‍👧‍👦', 2],
    ['✅', 2],
    ['❤️', 2],
    ['…—→', 3],
    ['\u001b[31mred\u001b[0m', 3],
  ];
  for (const [text, width] of cases) assert.equal(textWidth(text), width, JSON.stringify(text));
});

test('truncating never goes over and never splits a character', () => {
  assert.equal(truncateText('short', 5), 'short');
  assert.equal(truncateText('too long', 5), 'too …');
  assert.equal(truncateText('日本語', 4), '日…');
  assert.equal(truncateText('ab👩‍👩‍👧‍👦cd', 4), 'ab…');
  assert.equal(truncateText('anything', 0), '');
  for (let columns = 0; columns < 12; columns += 1)
    assert.ok(textWidth(truncateText('a日b本c語d', columns)) <= columns);
});

test('padding fills to the width on either side', () => {
  assert.equal(padText('日', 4, 'left'), '日  ');
  assert.equal(padText('日', 4, 'right'), '  日');
  assert.equal(padText('long', 2, 'left'), 'long');
});
