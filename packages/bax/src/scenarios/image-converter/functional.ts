import { randomInt } from 'node:crypto';
import { describeAnswer } from '../../attacks/answers.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import { require, type FunctionalTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';
import { createGif, FRAME } from './gif-request.ts';
import { readGif, type Gif } from './read-gif.ts';

export interface Animation {
  width: number;
  height: number;
  delayMs: number;
  reverted: boolean;
  /** Seed of the random pictures. */
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

/** Others each time: a wide one with a time that is no whole hundredth, and a square one with a longer time. */
export function drawAnimations(): readonly Animation[] {
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
    async strict(app) {
      for (const animation of drawAnimations()) await requireMade(app, animation);
    },
    async upstream(app) {
      for (const animation of AS_UPSTREAM) await requireMadeAsUpstream(app, animation);
    },
  },
];

async function requireMade(app: TestApp, animation: Animation): Promise<void> {
  const answer = await make(app, animation);
  require(answer.status === 200, `two images must be made into a GIF; ${describeAnswer(answer)}`);
  const type = answer.headers.get('content-type') ?? '';
  const named = type.toLowerCase().startsWith('image/gif');
  require(named, `a GIF must be called image/gif; its content type is ${JSON.stringify(type)}`);
  requireGif(answer);
  const complaint = complaintAbout(read(answer), animation);
  require(complaint === null, complaint ?? '');
}

/** A GIF that cannot be read is an exception. */
async function requireMadeAsUpstream(app: TestApp, animation: Animation): Promise<void> {
  const answer = await make(app, animation);
  require(answer.ok, `two images must be made into a GIF; ${describeAnswer(answer)}`);
  requireGif(answer);
  const complaint = complaintAsUpstream(readGif(answer.body), animation);
  require(complaint === null, complaint ?? '');
}

const make = (app: TestApp, { width, height, delayMs, reverted, seed }: Animation): Promise<HttpAnswer> =>
  createGif(app, {
    targetSize: `${width}x${height}`,
    delay: delayMs,
    appendReverted: String(reverted),
    images: IMAGES,
    seed,
  });

function requireGif({ body }: HttpAnswer): void {
  const begun = body.length > 3 && body.toString('latin1', 0, 3) === 'GIF';
  require(begun, `the answer must be a GIF; it begins with ${JSON.stringify(body.toString('latin1', 0, 16))}`);
}

/** Throws `Unmet` for a GIF that cannot be read. */
function read({ body }: HttpAnswer): Gif {
  try {
    return readGif(body);
  } catch (error) {
    if (error instanceof SyntaxError) require(false, `the answer must be a GIF; ${error.message}`);
    throw error;
  }
}

/** How often each image of an animation of two may be shown: where it turns round, the last one once or twice. */
const ONCE = [[1, 1]];
const THERE_AND_BACK = [
  [1, 1, 1, 1],
  [1, 1, 1],
];

/**
 * Says what is wrong with a GIF of two images, or null. One of the sides must have the size asked for where the
 * proportions are kept; one frame may stand for two that are alike.
 */
export function complaintAbout(gif: Gif, animation: Animation): string | null {
  const { width, height, reverted } = animation;
  const fits = gif.width <= width && gif.height <= height && (gif.width === width || gif.height === height);
  if (!fits) return `the GIF must be of ${width}x${height} pixels; it is of ${gif.width}x${gif.height}`;
  const counts = reverted ? [...THERE_AND_BACK, [1, 2, 1]] : ONCE;
  return complaintAboutTimes(gif, animation, counts, (shown, wanted) => shown !== null && lasts(shown, wanted));
}

/** Looks at the times alone. Throws `TypeError` for a frame without delay. */
export function complaintAsUpstream(gif: Gif, animation: Animation): string | null {
  return complaintAboutTimes(gif, animation, animation.reverted ? THERE_AND_BACK : ONCE, (shown, wanted) => {
    if (shown === null) throw new TypeError('a frame has no delay');
    return lasts(shown, wanted);
  });
}

function complaintAboutTimes(
  gif: Gif,
  { delayMs, reverted }: Animation,
  counts: readonly (readonly number[])[],
  lasts: (shown: number | null, wanted: number) => boolean,
): string | null {
  const shown = gif.frames.map((frame) => frame.delayMs);
  const asWanted = counts.some(
    (times) =>
      times.length === shown.length && times.every((count, index) => lasts(shown[index] ?? null, count * delayMs)),
  );
  if (asWanted) return null;
  const frames = `${delayMs} ms a frame are wanted, ${reverted ? '4 or 3' : '2'} frames`;
  return `${frames}; they last ${shown.map((time) => time ?? 'no time').join(', ')}`;
}

/** A GIF counts time in hundredths of a second, rounded up or down. */
const lasts = (shown: number, wanted: number): boolean =>
  shown >= Math.floor(wanted / 10) * 10 && shown <= Math.ceil(wanted / 10) * 10;
