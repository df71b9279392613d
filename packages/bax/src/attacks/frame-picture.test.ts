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

test('what went through text is none', () => {
  assert.equal(beginsAsPng(Buffer.from(framePicture().toString('utf8'))), false);
  assert.equal(beginsAsPng(Buffer.alloc(0)), false);
});
