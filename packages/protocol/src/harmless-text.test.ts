import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { harmlessText, replaceHarmful } from './harmless-text.ts';

describe('harmless text', () => {
  const SHOWN: Record<string, [string, string]> = {
    'an escape sequence': ['\u001b[2Jx', '␛[2Jx'],
    'a bell and a backspace': ['\u0007\b', '␇␈'],
    'a lone carriage return': ['good\rbad', 'good␍bad'],
    'a delete': ['\u007f', '␡'],
    'the control sequence introducer of Latin-1': ['\u009b31m', '<U+009B>31m'],
    'an override of direction': ['a\u202eb', 'a<U+202E>b'],
    'an isolate': ['\u2066', '<U+2066>'],
    'a zero-width space': ['a\u200bb', 'a<U+200B>b'],
    'a byte order mark': ['\ufeffx', '<U+FEFF>x'],
    'a tag character': ['\u{e0041}', '<U+E0041>'],
    'a line separator': ['\u2028', '<U+2028>'],
    'a paragraph separator': ['\u2029', '<U+2029>'],
    'an annotation': ['\ufff9', '<U+FFF9>'],
    'a tab': ['a\tb', 'a    b'],
    'the line ends of Windows': ['a\r\nb', 'a\nb'],
    'half a surrogate pair': ['a\ud800b', 'a\ufffdb'],
  };
  for (const [name, [text, shown]] of Object.entries(SHOWN)) {
    test(`${name} becomes visible or goes`, () => assert.equal(harmlessText(text), shown));
  }

  test('letters, emoji with joiners and selectors, and line feeds stay', () => {
    for (const text of ['Grüße, 世界\n', '👩‍👩‍👧', '❤️', 'क्‍ष', '']) assert.equal(harmlessText(text), text);
  });

  test('stays as it is the second time', () => {
    const all = Array.from({ length: 0x3000 }, (_, code) => String.fromCodePoint(code)).join('');
    assert.equal(harmlessText(harmlessText(all)), harmlessText(all));
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(harmlessText(all), /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });

  test('the replacement can be another', () => {
    assert.equal(
      replaceHarmful('a\u001bb\u202ec\n', (character) => `[${character.length}]`),
      'a[1]b[1]c\n',
    );
  });
});
