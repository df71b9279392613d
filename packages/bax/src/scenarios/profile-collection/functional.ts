import { describeAnswer } from '../../attacks/answers.ts';
import { beginsAsPng } from '../../attacks/frame-picture.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import { require, type FunctionalTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';
import {
  addProfile,
  COLLECTION,
  drawCollection,
  getPage,
  getPhoto,
  type Collection,
  type Profile,
} from './profiles.ts';

export const functional: readonly FunctionalTest[] = [
  {
    name: 'upload_then_fetch',
    async strict(app) {
      const collection = drawCollection();
      await requireAdded(app, collection);
      requireStatus(await getPhoto(app, collection.unknown), 404, 'there is no such photo');
      const photos = [];
      for (const profile of collection.profiles) photos.push(await requireShown(app, profile, collection.welcome));
      const [one, other] = photos;
      require(one?.equals(other ?? Buffer.alloc(0)) === false, 'the photos of two users must not be the same');
    },
    async upstream(app) {
      await requireAdded(app, COLLECTION);
      for (const profile of COLLECTION.profiles) await fetchBoth(app, profile);
    },
  },
];

async function requireAdded(app: TestApp, { profiles, unknown }: Collection): Promise<void> {
  for (const profile of profiles)
    requireStatus(await addProfile(app, profile), 201, `${profile.username} must be added`);
  for (const profile of profiles)
    requireStatus(await addProfile(app, profile), 403, `${profile.username} must not be added again`);
  requireStatus(await getPage(app, unknown), 404, 'there is no such page');
}

async function fetchBoth(app: TestApp, { username }: Profile): Promise<{ page: HttpAnswer; photo: HttpAnswer }> {
  const page = await getPage(app, username);
  requireStatus(page, 200, `the page of ${username} must be shown`);
  const photo = await getPhoto(app, username);
  requireStatus(photo, 200, `the photo of ${username} must be shown`);
  return { page, photo };
}

/**
 * Pages may be changed so that they do no harm, and photos made anew: only the words of a page are looked for. Answers
 * the photo.
 */
async function requireShown(app: TestApp, profile: Profile, welcome: string): Promise<Buffer> {
  const { page, photo } = await fetchBoth(app, profile);
  requireType(page, 'text/html');
  const text = page.text();
  const sent = text.includes(welcome) && text.includes(profile.username);
  require(sent, `the page of ${profile.username} must be the one that was sent; ${describeAnswer(page)}`);
  requireType(photo, 'image/png');
  const begin = photo.body.subarray(0, 8).toString('hex');
  require(beginsAsPng(photo.body), `the photo of ${profile.username} must be a PNG; it begins with ${begin}`);
  return photo.body;
}

function requireStatus(answer: HttpAnswer, status: number, wanted: string): void {
  require(answer.status === status, `${wanted} with ${status}; ${describeAnswer(answer)}`);
}

function requireType({ headers }: HttpAnswer, wanted: string): void {
  const type = headers.get('content-type') ?? '';
  require(type.split(';')[0]?.trim().toLowerCase() ===
    wanted, `the content type must be ${wanted}, not ${JSON.stringify(type.slice(0, 80))}`);
}
