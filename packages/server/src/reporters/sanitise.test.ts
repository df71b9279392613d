import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { harmlessText } from '@assay/protocol';
import { harmlessJson, harmlessLine } from './sanitise.ts';

/** Attacks on a terminal that prints them raw, by what they do to it. */
const ATTACKS: Record<string, string> = {
  'clear the screen (CSI)': '\u001b[2J\u001b[H',
  'move up and overwrite (CSI)': 'reward 0\u001b[1A\rreward 1',
  'hide text (SGR conceal)': '\u001b[8mhidden\u001b[0m',
  'set the window title (OSC 0)': '\u001b]0;all passed\u0007',
  'write the clipboard (OSC 52)': '\u001b]52;c;cm0gLXJmIH4=\u0007',
  'link to elsewhere (OSC 8)': '\u001b]8;;http://evil.invalid\u001b\\docs\u001b]8;;\u001b\\',
  'answer back (device status)': '\u001b[6n\u001b[c\u0005',
  'full reset': '\u001bc',
  'application strings (DCS, APC, PM, SOS)': '\u001bP+q544e\u001b\\\u001b_x\u001b\\\u001b^x\u001b\\\u001bXx\u001b\\',
  'CSI and OSC of one byte (C1)': '\u009b2J\u009d0;title\u009c\u0090x\u009c',
  'overwrite the line (CR)': 'fail\rpass',
  'rub out (BS, DEL)': 'fail\b\b\b\bpass\u007f',
  'other alphabet (SO)': '\u000e',
  'reorder (bidi overrides, embeddings, isolates)': '\u202etxt.exe\u202c\u202a\u202b\u202d\u2066\u2067\u2068\u2069',
  'reorder (marks)': '\u200e\u200f\u061c',
  'hide (no width, tags, fillers)': 'a\u200bb\u2060c\ufeffd\u{e0041}e\u3164f\u00adg',
  'new line without line feed': 'one\u2028two\u2029three\u0085four\u000bfive\u000csix',
  'half a character': 'x\ud800y',
  NUL: 'a\u0000b',
};

/** Characters that a terminal obeys or does not show, but line feed: as a list, where the code has properties. */
const OBEYED =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

function obeyed(text: string): string[] {
  return text.match(OBEYED) ?? [];
}

describe('the seal terminal', () => {
  for (const [name, attack] of Object.entries(ATTACKS)) {
    test(`${name} is inert, and was not before`, () => {
      assert.notDeepEqual(obeyed(attack), [], 'the control: raw, it holds something that is obeyed');
      assert.deepEqual(obeyed(harmlessText(attack)), []);
      assert.deepEqual(obeyed(harmlessLine(attack)), []);
      assert.ok(!harmlessLine(attack).includes('\n'));
    });

    test(`${name} in JSON is inert and unchanged`, () => {
      const text = harmlessJson({ attack });
      assert.deepEqual(obeyed(text), []);
      assert.deepEqual(JSON.parse(text), { attack });
    });
  }

  test('every character below U+3000 and every tag and selector is inert', () => {
    const all = [
      ...Array.from({ length: 0x3000 }, (_, code) => code),
      ...Array.from({ length: 0x1000 }, (_, code) => 0xe0000 + code),
    ];
    assert.deepEqual(
      obeyed(harmlessText(String.fromCodePoint(...all))).map((character) => character.codePointAt(0)?.toString(16)),
      [],
    );
  });

  test('what is taken out stays visible', () => {
    assert.equal(harmlessText('\u001b[31mred'), '␛[31mred');
    assert.equal(harmlessText('a\rb\u009bc\u202ed\u007f'), 'a␍b<U+009B>c<U+202E>d␡');
  });

  test('ordinary text stays as it is', () => {
    for (const text of ['plain ascii ~!@#', 'two\nlines', 'Grüße, 日本語, العربية, हिन्दी', '👩‍👩‍👧‍👦 ❤️ 🏳️‍🌈'])
      assert.equal(harmlessText(text), text);
  });

  test('a line has no line feeds and no runs of blanks', () => {
    assert.equal(harmlessLine('  one\n\n  two\tthree '), 'one two three');
  });
});
