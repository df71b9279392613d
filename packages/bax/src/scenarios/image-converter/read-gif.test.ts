import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readGif } from './read-gif.ts';

const head = Buffer.concat([Buffer.from('GIF89a'), Buffer.from([0x2c, 1, 0xc8, 0, 0x80, 0, 0]), Buffer.alloc(6)]);
const control = (hundredths: number): Buffer =>
  Buffer.from([0x21, 0xf9, 4, 0, hundredths & 255, hundredths >> 8, 0, 0]);
const image = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);
const coloured = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0x81, ...Array<number>(12).fill(0x2c), 2, 2, 0x44, 1, 0]);
const loop = Buffer.from([0x21, 0xff, 11, ...Buffer.from('NETSCAPE2.0'), 3, 1, 0, 0, 0]);
const comment = Buffer.from([0x21, 0xfe, 3, 0x2c, 0x3b, 0x21, 0]);
const end = Buffer.from([0x3b]);
const delays = (...blocks: Buffer[]): (number | null)[] =>
  readGif(Buffer.concat([head, ...blocks])).frames.map(({ delayMs }) => delayMs);

test('the size of the screen, and a delay for each image block', () => {
  const gif = readGif(
    Buffer.concat([head, loop, control(2), image, control(300), coloured, comment, control(0), image, end]),
  );
  assert.deepEqual(gif, { width: 300, height: 200, frames: [{ delayMs: 20 }, { delayMs: 3000 }, { delayMs: 0 }] });
});

test('a delay holds for the next image alone, whatever stands between', () => {
  assert.deepEqual(delays(control(2), image, image, end), [20, null]);
  assert.deepEqual(delays(image, control(2), comment, image, end), [null, 20]);
  assert.deepEqual(delays(control(2), control(7), image, end), [70]);
});

test('what a reader of pictures passes over', () => {
  assert.deepEqual(
    delays(control(2), image, Buffer.from([0, 0, 7]), control(3), image),
    [20, 30],
    'between two blocks, and no trailer',
  );
  assert.deepEqual(delays(control(2), image, end, control(3), image, end), [20], 'after the trailer');
});

test('what is no GIF', () => {
  const whole = Buffer.concat([head, control(2), image, control(3), coloured, end]);
  assert.throws(() => readGif(Buffer.alloc(0)), SyntaxError);
  assert.throws(() => readGif(Buffer.from('GIF89a')), SyntaxError);
  assert.throws(() => readGif(Buffer.concat([Buffer.from('GIF88a'), whole.subarray(6)])), SyntaxError);
  assert.throws(() => delays(end), /no image/);
  assert.throws(() => delays(Buffer.from([0x21, 0xf9, 2, 0, 5, 0]), image, end), /too short/);
  assert.throws(() => delays(image.subarray(0, -4), Buffer.from([0]), end), /empty/);
  const cut = whole.length - 1 - coloured.length;
  for (let length = cut + 1; length < whole.length - 1; length += 1)
    assert.throws(() => readGif(whole.subarray(0, length)), /ends within a block/, String(length));
});
