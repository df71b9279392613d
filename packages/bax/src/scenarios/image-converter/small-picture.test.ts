import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, inflateSync } from 'node:zlib';
import { smallPicture } from './small-picture.ts';

function chunks(png: Buffer): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    const body = png.subarray(at + 4, at + 8 + length);
    assert.equal(png.readUInt32BE(at + 8 + length), crc32(body));
    found.set(body.toString('latin1', 0, 4), body.subarray(4));
    at += 12 + length;
  }
  return found;
}

for (const seed of [undefined, 1, 4_000_000_000])
  test(`the picture is a PNG of 100 x 100 pixels, each of which has its colour in the palette, seed ${seed}`, () => {
    const found = chunks(smallPicture(seed));
    assert.deepEqual([...found.keys()], ['IHDR', 'PLTE', 'IDAT', 'IEND']);
    assert.deepEqual([...(found.get('IHDR') ?? [])], [0, 0, 0, 100, 0, 0, 0, 100, 8, 3, 0, 0, 0]);
    const rows = inflateSync(found.get('IDAT') ?? '');
    assert.equal(rows.length, 100 * 101);
    assert.ok(Math.max(...rows) < (found.get('PLTE')?.length ?? 0) / 3);
    assert.ok(new Set(rows).size > 100);
    assert.ok(Array.from({ length: 100 }, (_, row) => rows[row * 101]).every((filter) => filter === 0));
  });

test('a seed makes another picture', () => {
  assert.ok(smallPicture(1).equals(smallPicture(1)));
  for (const other of [smallPicture(), smallPicture(2)]) assert.ok(!smallPicture(1).equals(other));
});
