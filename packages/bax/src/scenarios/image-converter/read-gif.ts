/** Properties of a GIF from its blocks; its pixels are not read. */
export interface Gif {
  /** Size of the logical screen, in pixels. */
  width: number;
  height: number;
  /** One for each image block. */
  frames: readonly GifFrame[];
}

export interface GifFrame {
  /** How long it is shown, in milliseconds; null where nothing before it says so. */
  delayMs: number | null;
}

const HEADER_BYTES = 13;
const IMAGE = 0x2c;
const EXTENSION = 0x21;
const GRAPHIC_CONTROL = 0xf9;
const TRAILER = 0x3b;

/**
 * Reads GIF87a and GIF89a as Pillow does: what stands between two blocks and is none is skipped, and the trailer may be
 * missing. Throws `SyntaxError` for what is no GIF, ends within a block or holds no image.
 */
export function readGif(bytes: Buffer): Gif {
  if (!/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6)) || bytes.length < HEADER_BYTES)
    throw new SyntaxError('it does not begin as a GIF');
  const frames: GifFrame[] = [];
  let delayMs: number | null = null;
  let at = HEADER_BYTES + colourBytes(bytes[10]);
  while (at < bytes.length && bytes[at] !== TRAILER) {
    const kind = bytes[at];
    at += 1;
    if (kind === IMAGE) {
      at = afterImage(bytes, at);
      frames.push({ delayMs });
      delayMs = null;
    } else if (kind === EXTENSION) {
      const label = bytes[at];
      const content = subBlocks(bytes, at + 1);
      if (label === GRAPHIC_CONTROL) delayMs = delayOf(content.first);
      at = content.end;
    }
  }
  if (frames.length === 0) throw new SyntaxError('the GIF holds no image');
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8), frames };
}

/** Size of the colour table that a byte of flags announces. */
const colourBytes = (flags = 0): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

/** Where the block ends: place and size, flags, colours, the size of a code, the codes. */
function afterImage(bytes: Buffer, at: number): number {
  const data = subBlocks(bytes, at + 9 + colourBytes(bytes[at + 8]) + 1);
  if (data.first.length === 0) throw new SyntaxError('an image of the GIF is empty');
  return data.end;
}

function delayOf(control: Buffer): number {
  if (control.length < 4) throw new SyntaxError('a graphic control of the GIF is too short');
  return control.readUInt16LE(1) * 10;
}

function subBlocks(bytes: Buffer, start: number): { first: Buffer; end: number } {
  let at = start;
  let first: Buffer | null = null;
  for (;;) {
    const length = bytes[at];
    if (length === undefined || at + 1 + length > bytes.length) throw new SyntaxError('the GIF ends within a block');
    first ??= bytes.subarray(at + 1, at + 1 + length);
    at += 1 + length;
    if (length === 0) return { first, end: at };
  }
}
