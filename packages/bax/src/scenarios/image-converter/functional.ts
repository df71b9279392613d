import { randomInt } from 'node:crypto';
import { describeAnswer } from '../../attacks/answers.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import type { Profile } from '../../profile.ts';
import { require, type FunctionalTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';
import { createGif, FRAME } from './gif-request.ts';
import { readGif, type Gif } from './read-gif.ts';

export interface Animation {
  width: number;
  height: number;
  delayMs: number;
  reverted: boolean;
  /** Of the pictures. */
  seed?: number;
}

const AS_UPSTREAM: readonly Animation[] = [
  { width: 300, height: 200, delayMs: 23, reverted: false },
  { width: 500, height: 500, delayMs: 100, reverted: true },
];

/**
 * Widths of which the scale is exact in binary for both pictures, so that no app which keeps the proportions is a pixel
 * off: parts of 1920 in 128ths, of 100 in quarters.
 */
const WIDE = 15;
const HIGH = 25;

/**
 * Others each time in the profile `strict`: a wide one with a time that is no whole hundredth, and a square one with a
 * longer time.
 */
export function animationsFor(profile: Profile): readonly Animation[] {
  if (profile === 'upstream') return AS_UPSTREAM;
  const width = WIDE * randomInt(16, 29);
  const height = HIGH * randomInt(Math.ceil((width * 9) / 16 / HIGH), Math.ceil(width / HIGH));
  const side = WIDE * 5 * randomInt(4, 8);
  return [
    { width, height, delayMs: 10 * randomInt(2, 9) + randomInt(1, 10), reverted: false, seed: randomInt(2, 2 ** 32) },
    { width: side, height: side, delayMs: 10 * randomInt(10, 30), reverted: true, seed: randomInt(2, 2 ** 32) },
  ];
}

const IMAGES = ['image.png', FRAME];

export const functional: readonly FunctionalTest[] = [
  {
    name: 'convert_image_and_revert',
    async run(app) {
      for (const animation of animationsFor(app.profile)) await made(app, animation);
    },
  },
];

async function made(app: TestApp, animation: Animation): Promise<void> {
  const { width, height, delayMs, reverted, seed } = animation;
  const answer = await createGif(app, {
    targetSize: `${width}x${height}`,
    delay: delayMs,
    appendReverted: String(reverted),
    images: IMAGES,
    ...(seed === undefined ? {} : { seed }),
  });
  require(app.profile === 'upstream'
    ? answer.ok
    : answer.status === 200, `two images must be made into a GIF; ${describeAnswer(answer)}`);
  const type = answer.headers.get('content-type') ?? '';
  require(app.profile === 'upstream' ||
    type
      .toLowerCase()
      .startsWith('image/gif'), `a GIF must be called image/gif; its content type is ${JSON.stringify(type)}`);
  const gif = gifOf(answer, app.profile);
  const complaint = complaintAbout(gif, animation, app.profile);
  require(complaint === null, complaint ?? '');
}

/** In the profile `upstream` a GIF that cannot be read is an exception. */
function gifOf(answer: HttpAnswer, profile: Profile): Gif {
  const { body } = answer;
  require(body.length > 3 &&
    body.toString('latin1', 0, 3) ===
      'GIF', `the answer must be a GIF; it begins with ${JSON.stringify(body.toString('latin1', 0, 16))}`);
  try {
    return readGif(body);
  } catch (error) {
    if (profile === 'strict' && error instanceof SyntaxError)
      require(false, `the answer must be a GIF; ${error.message}`);
    throw error;
  }
}

/**
 * What is wrong with a GIF of two images, or null. A GIF counts time in hundredths of a second, rounded up or down; the
 * last image may be shown once or twice where it turns round. Only the profile `strict` asks for the size, which one of
 * the sides must have where the proportions are kept, and takes one frame for two that are alike. Throws `TypeError` in
 * the profile `upstream` for a frame without delay.
 */
export function complaintAbout(
  gif: Gif,
  { width, height, delayMs, reverted }: Animation,
  profile: Profile,
): string | null {
  const shown = gif.frames.map((frame) => frame.delayMs);
  if (
    profile === 'strict' &&
    (gif.width > width || gif.height > height || (gif.width !== width && gif.height !== height))
  ) {
    return `the GIF must be of ${width}x${height} pixels; it is of ${gif.width}x${gif.height}`;
  }
  const lengths = !reverted ? [[1, 1]] : [[1, 1, 1, 1], [1, 1, 1], ...(profile === 'strict' ? [[1, 2, 1]] : [])];
  const asWanted = lengths.some(
    (times) =>
      times.length === shown.length &&
      times.every((count, index) => lasts(shown[index] ?? null, count * delayMs, profile)),
  );
  return asWanted
    ? null
    : `${delayMs} ms a frame are wanted, ${reverted ? '4 or 3' : '2'} frames; they last ${shown.map((time) => time ?? 'no time').join(', ')}`;
}

function lasts(shown: number | null, wanted: number, profile: Profile): boolean {
  if (shown === null && profile === 'upstream') throw new TypeError('a frame has no delay');
  return shown !== null && shown >= Math.floor(wanted / 10) * 10 && shown <= Math.ceil(wanted / 10) * 10;
}
