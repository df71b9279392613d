import { encodePng } from '../../attacks/png.ts';

const SIDE = 100;
const COLOURS = 210;

let made: Buffer | null = null;

/**
 * A PNG of 100 x 100 pixels in shades of grey from a palette, with a ring. The same at every call; `seed`, a whole
 * number, moves the shades.
 */
export function smallPicture(seed?: number): Buffer {
  if (seed !== undefined) return pictureOf(seed);
  made ??= pictureOf(0);
  return made;
}

const pictureOf = (seed: number): Buffer =>
  encodePng({
    width: SIDE,
    height: SIDE,
    palette: Buffer.from(Array.from({ length: COLOURS }, (_, shade) => [shade, shade, shade]).flat()),
    rows: rows(seed),
  });

function rows(seed: number): Buffer {
  const bytes = Buffer.alloc((1 + SIDE) * SIDE);
  for (let y = 0; y < SIDE; y += 1) {
    for (let x = 0; x < SIDE; x += 1) {
      const distance = (x - SIDE / 2) ** 2 + (y - SIDE / 2) ** 2;
      bytes[y * (1 + SIDE) + 1 + x] = distance > 900 && distance < 1600 ? 0 : (x + y + seed) % COLOURS;
    }
  }
  return bytes;
}
