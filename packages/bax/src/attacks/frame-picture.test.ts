import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { beginsAsPng, framePicture } from './frame-picture.ts';

test('the picture is a PNG of 1920 x 1080 of about the size of the original', () => {
  const picture = framePicture();
  assert.equal(picture, framePicture());
  assert.ok(beginsAsPng(picture));
  assert.deepEqual([picture.readUInt32BE(16), picture.readUInt32BE(20)], [1920, 1080]);
  assert.ok(picture.length > 600_000 && picture.length < 700_000, String(picture.length));
  const length = picture.readUInt32BE(33);
  assert.equal(inflateSync(picture.subarray(41, 41 + length)).length, 1080 * (1 + 3 * 1920));
});

test('a seed makes another picture of the same kind', () => {
  const drawn = framePicture(4_000_000_000);
  assert.ok(drawn.equals(framePicture(4_000_000_000)));
  for (const other of [framePicture(), framePicture(2)]) assert.ok(!drawn.equals(other));
  assert.ok(beginsAsPng(drawn));
  assert.ok(Math.abs(drawn.length - framePicture().length) < 10_000, String(drawn.length));
});

test('what went through text is none', () => {
  assert.equal(beginsAsPng(Buffer.from(framePicture().toString('utf8'))), false);
  assert.equal(beginsAsPng(Buffer.alloc(0)), false);
});
