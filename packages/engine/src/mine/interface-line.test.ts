import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Undisclosed } from '../harden/undisclosed-symbols.ts';
import { interfaceLine } from './interface-line.ts';

const demand = (kind: Undisclosed['kind'], text: string, signature?: string): Undisclosed => ({
  kind,
  text,
  where: 'tests/test_a.py:1',
  everywhere: ['tests/test_a.py:1'],
  signature,
});

test('names and texts in one line, and nothing of the tests', () => {
  assert.equal(
    interfaceLine([demand('message', 'No entry "data".'), demand('name', 'max_entries')]),
    'Interface: what cannot be guessed and is compared word for word: the text "No entry \\"data\\"."; the name `max_entries`.',
  );
  assert.equal(interfaceLine([]), '');
});

test('functions as they are called, and parameters with the function that takes them', () => {
  assert.equal(
    interfaceLine([
      demand('name', 'dump', 'dump(value, *, indent=None)'),
      demand('name', 'indent', 'dump(value, *, indent=None)'),
    ]),
    'Interface: what cannot be guessed and is compared word for word: `dump(value, *, indent=None)`; ' +
      'the parameter `indent` of `dump(value, *, indent=None)`.',
  );
});

test('a text of several lines stays in one', () => {
  assert.doesNotMatch(interfaceLine([demand('message', 'one\ntwo')]) ?? '\n', /\n/);
});

test('what must not stand in an instruction cannot be told', () => {
  for (const text of [
    'see https://github.com/a/b/pull/7',
    'refused, see CVE-2031-1000',
    'fixed in version 1.2.3',
    'hidden\u200bcharacter',
  ])
    assert.equal(interfaceLine([demand('message', text)]), null, text);
});

test('too much of it cannot be told', () => {
  assert.equal(interfaceLine(Array.from({ length: 13 }, (_, index) => demand('name', `name_${index}`))), null);
  assert.equal(interfaceLine([demand('message', 'x y '.repeat(600))]), null);
});
