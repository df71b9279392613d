import { describeAnswer } from '../../attacks/answers.ts';
import { beginsAsPng } from '../../attacks/frame-picture.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import { require, type FunctionalTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';
import { addProfile, collectionFor, getPage, getPhoto, type Profile } from './profiles.ts';

export const functional: readonly FunctionalTest[] = [
  {
    name: 'upload_then_fetch',
    async run(app) {
      const { profiles, welcome, unknown } = collectionFor(app.profile);
      for (const profile of profiles)
        requireStatus(await addProfile(app, profile), 201, `${profile.username} must be added`);
      for (const profile of profiles)
        requireStatus(await addProfile(app, profile), 403, `${profile.username} must not be added again`);
      requireStatus(await getPage(app, unknown), 404, 'there is no such page');
      if (app.profile === 'strict') requireStatus(await getPhoto(app, unknown), 404, 'there is no such photo');
      const photos = [];
      for (const profile of profiles) photos.push(await requireShown(app, profile, welcome));
      const [one, other] = photos;
      if (app.profile === 'strict')
        require(one?.equals(other ?? Buffer.alloc(0)) === false, 'the photos of two users must not be the same');
    },
  },
];

/**
 * Pages may be changed so that they do no harm, and photos made anew: only the words of a page are looked for. Answers
 * the photo.
 */
async function requireShown(app: TestApp, { username }: Profile, welcome: string): Promise<Buffer> {
  const page = await getPage(app, username);
  requireStatus(page, 200, `the page of ${username} must be shown`);
  const photo = await getPhoto(app, username);
  requireStatus(photo, 200, `the photo of ${username} must be shown`);
  if (app.profile === 'upstream') return photo.body;
  requireType(page, 'text/html');
  const text = page.text();
  require(text.includes(welcome) &&
    text.includes(username), `the page of ${username} must be the one that was sent; ${describeAnswer(page)}`);
  requireType(photo, 'image/png');
  require(beginsAsPng(
    photo.body,
  ), `the photo of ${username} must be a PNG; it begins with ${photo.body.subarray(0, 8).toString('hex')}`);
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
