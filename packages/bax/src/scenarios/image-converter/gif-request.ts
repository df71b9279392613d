import { framePicture } from '../../attacks/frame-picture.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import type { TestApp } from '../../test-app.ts';
import { smallPicture } from './small-picture.ts';

/** The name of the big picture. */
export const FRAME = 'frame.png';

export interface GifRequest {
  /** Width x height in pixels. */
  targetSize: string;
  /** In milliseconds. */
  delay: number | string;
  appendReverted: string;
  /** Names of the files; every one but `FRAME` holds the small picture. */
  images: readonly string[];
  /** Makes the pictures others than usual. */
  seed?: number;
}

/** POST /create-gif. */
export function createGif(
  { http }: TestApp,
  { images, seed, ...fields }: GifRequest,
  signal?: AbortSignal,
): Promise<HttpAnswer> {
  const files = images.map((name) => ({
    field: 'images',
    name,
    content: name === FRAME ? framePicture(seed) : smallPicture(seed),
    type: 'image/png',
  }));
  return http.post('/create-gif', { fields, files, signal });
}
