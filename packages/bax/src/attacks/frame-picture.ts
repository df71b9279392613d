import { encodePng, PNG_SIGNATURE } from './png.ts';

const WIDTH = 1920;
const HEIGHT = 1080;
/** Rows that do not compress: they give the file the size of upstream's, about 650 kB. */
const NOISY_ROWS = 113;

let made: Buffer | null = null;

/**
 * A PNG of 1920 x 1080 pixels, 8 bits of red, green and blue each. The same at every call; `seed`, a number up to 2^32,
 * makes another one.
 */
export function framePicture(seed?: number): Buffer {
  if (seed !== undefined) return encodePng({ width: WIDTH, height: HEIGHT, rows: pixels(seed) });
  made ??= encodePng({ width: WIDTH, height: HEIGHT, rows: pixels(1) });
  return made;
}

/** Whether these bytes begin as a PNG does; what was stored as text does not. */
export function beginsAsPng(bytes: Buffer): boolean {
  return bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE);
}

/** Each row begins with the number of its filter, 0 for none. */
function pixels(seed: number): Buffer {
  const rowBytes = 1 + 3 * WIDTH;
  const rows = Buffer.alloc(rowBytes * HEIGHT);
  let state = seed;
  for (let at = 0; at < rowBytes * NOISY_ROWS; at += 1) {
    if (at % rowBytes === 0) continue;
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    rows[at] = state >>> 24;
  }
  return rows;
}
