import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDraw, shuffled } from './drawn.ts';

test('words, names and passwords are of one form each, and none comes twice or stands in another', () => {
  const draw = openDraw();
  const drawn = Array.from({ length: 500 }, () => ({
    word: draw.word(),
    name: draw.name(),
    username: draw.username(),
    password: draw.password(),
  }));
  for (const { word, name, username, password } of drawn) {
    assert.match(word, /^(?:[bdkmnrtvz][aiou]){3}$/);
    assert.match(name, /^[BDKMNRTVZ][aiou](?:[bdkmnrtvz][aiou]){2}$/);
    assert.match(username, /^(?:[bdkmnrtvz][aiou]){3}[1-9]$/);
    assert.match(password, /^[bdkmnrtvz]{4}[1-9]$/);
  }
  const texts = drawn.flatMap((one) => Object.values(one).map((text) => text.toLowerCase()));
  const stems = texts.map((text) => text.replace(/\d$/, ''));
  assert.equal(new Set(texts).size, texts.length);
  for (const word of stems.filter((stem) => stem.length === 6).slice(0, 50))
    assert.equal(stems.filter((stem) => stem.includes(word)).length, 1, word);
});

test('two draws have next to nothing in common', () => {
  const [one, other] = [openDraw(), openDraw()].map((draw) => Array.from({ length: 5 }, () => draw.word()));
  assert.notDeepEqual(one, other);
});

test('an order that is drawn holds each once, in any place', () => {
  const orders = Array.from({ length: 400 }, () => shuffled([1, 2, 3]).join(''));
  assert.deepEqual([...new Set(orders)].sort(), ['123', '132', '213', '231', '312', '321']);
  assert.deepEqual(shuffled([]), []);
});
