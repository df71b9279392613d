import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { LONG_WORD, phraseHash, wordHash } from './matcher.ts';
import { PhraseCollector, possibleNeedles } from './phrase-index.ts';
import { wordSpans } from './words.ts';

const BITS = 2 ** 20;

/** Computes the answer of a collector in the plainest way. */
function plainly(contents: readonly Buffer[]): { bits: Uint8Array; longWords: number[][] } {
  const bits = new Uint8Array(BITS / 8);
  const longWords = contents.map((bytes) => {
    const { starts, ends } = wordSpans(bytes, 0, bytes.length);
    const words = starts.map((start, index) => bytes.toString('latin1', start, ends[index]));
    for (const end of words.keys())
      for (const [width, least] of [12, 12, 10].entries()) {
        const phrase = words.slice(Math.max(0, end - width), end + 1);
        if (phrase.join('').length < least) continue;
        // Empty words come before the first one.
        while (phrase.length <= width) phrase.unshift('');
        const bit = phraseHash(phrase.map(wordHash)) & (BITS - 1);
        bits[bit >>> 3] = (bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
      }
    return starts.filter((start, index) => (ends[index] ?? 0) - start >= LONG_WORD);
  });
  return { bits, longWords };
}

/** Yields numbers that are the same in every run. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

const PIECES = [
  'a',
  'of',
  'xyz',
  'four',
  'a_longer_word',
  'x'.repeat(30),
  ' ',
  '\n',
  '\0',
  ';',
  '#',
  '&',
  '\\',
  'é',
  '(',
  ').',
];
const ESCAPES = [
  '\\n',
  '\\u0041',
  '\\x4',
  '\\1234',
  '&lt;',
  '&amp;lt;',
  '&#x41;',
  '&#65;abcd',
  '\\\\nword',
  '&amp;amp;a1;',
];

/** Makes a text of words and escapes, different for each seed: some have mostly short words, like a binary. */
function madeUp(seed: number): Buffer {
  const random = numbers(seed);
  const next = (): number => random.next().value ?? 0;
  const pick = (from: readonly string[]): string => from[Math.floor(next() * from.length)] ?? '';
  const oddness = next() < 0.5 ? 0.01 : 0.3;
  const shortness = next();
  let text = '';
  for (let count = 0; count < 400; count += 1) {
    if (next() < oddness) text += pick(ESCAPES);
    else text += next() < shortness ? pick(['a', '2b', 'x_y', '\0', '\0\0\0', ' ', '.', ';', '&a']) : pick(PIECES);
  }
  return Buffer.from(text);
}

test('a collector keeps every phrase that is long enough, and no other, whatever the bytes', () => {
  const made = Array.from({ length: 400 }, (_, seed) => madeUp(seed + 1));
  const random = numbers(7);
  const noise = Buffer.from(Array.from({ length: 200_000 }, () => (random.next().value ?? 0) * 256));
  for (const contents of [...made.map((each) => [each]), [noise], made]) {
    const collector = new PhraseCollector(BITS);
    const longWords = contents.map((bytes) => collector.match(bytes));
    const expected = plainly(contents);
    assert.deepEqual(longWords, expected.longWords);
    assert.ok(Buffer.from(collector.bits).equals(expected.bits), contents[0]?.toString('latin1', 0, 200));
  }
});

test('needles are ruled out by the phrases of what was seen, and none that stands there is', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'assay-phrases-'));
  try {
    const lines = [
      'const total = sum(values, offset);',
      'if (total > limit) throw overflow;',
      'return total / 2;',
    ] as const;
    const collector = new PhraseCollector(BITS);
    collector.match(Buffer.from(`\0\0\x01ab ${lines.join('\\n')} cd`));
    const path = join(directory, 'phrases.bin');
    await writeFile(path, collector.bits);
    assert.equal((await readFile(path)).length, BITS / 8);
    const there = { origin: 'there', lines: [...lines] as [string, string, string] };
    const absent = {
      origin: 'absent',
      lines: [lines[0], lines[1], 'answer = other(quantity)'] as [string, string, string],
    };
    assert.deepEqual(possibleNeedles(path, BITS, [there, absent]), [there]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
