import { randomInt } from 'node:crypto';
import { openDraw } from '../../attacks/drawn.ts';
import { framePicture } from '../../attacks/frame-picture.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import type { TestApp } from '../../test-app.ts';

export interface Profile {
  username: string;
  page: string;
  /** Default: the picture that is the same each time. */
  photo?: Buffer;
}

/** Two profiles, whose pages both contain `welcome`, and the name of a user who does not exist. */
export interface Collection {
  profiles: readonly [Profile, Profile];
  welcome: string;
  unknown: string;
}

/** Draws the profiles that the tests add before anything else, anew each time. */
export function drawCollection(): Collection {
  const draw = openDraw();
  const names = [draw.username(), draw.username()] as const;
  const collection = collectionOf(...names, draw.word(), draw.username());
  const [one, other] = collection.profiles;
  return {
    ...collection,
    profiles: [
      { ...one, photo: drawPhoto() },
      { ...other, photo: drawPhoto() },
    ],
  };
}

const drawPhoto = (): Buffer => framePicture(randomInt(2, 2 ** 32));

function collectionOf(one: string, other: string, thing: string, unknown: string): Collection {
  const welcome = `Welcome to my ${thing}`;
  const profiles = [
    { username: one, page: `<html><body><h1>${one}! ${welcome}</h1></body></html>` },
    { username: other, page: `<html><body><h1>${other}: ${welcome}</h1></body></html>` },
  ] as const;
  return { profiles, welcome, unknown };
}

/** The profiles that upstream adds. */
export const COLLECTION = collectionOf('user1', 'user2', 'profile', 'nonexistent');

export const addProfile = (
  { http }: TestApp,
  { username, page, photo = framePicture() }: Profile,
): Promise<HttpAnswer> =>
  http.post('/add_profile', {
    fields: { username, profile_page: page },
    files: [{ field: 'profile_photo', name: 'profile_photo.png', content: photo, type: 'image/png' }],
  });

export const getPage = ({ http }: TestApp, username: string): Promise<HttpAnswer> => http.get(`/profile/${username}`);

export const getPhoto = ({ http }: TestApp, username: string): Promise<HttpAnswer> =>
  http.get(`/profile-photo/${username}`);
