import { randomInt } from 'node:crypto';
import { openDraw } from '../../attacks/drawn.ts';
import { framePicture } from '../../attacks/frame-picture.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import type { Profile as Grading } from '../../profile.ts';
import type { TestApp } from '../../test-app.ts';

export interface Profile {
  username: string;
  page: string;
  /** Default: the picture that is the same each time. */
  photo?: Buffer;
}

/** What `welcome` says stands in both pages. */
export interface Collection {
  profiles: readonly [Profile, Profile];
  welcome: string;
  unknown: string;
}

/** What the tests add before anything else, and a name that nobody has; others each time in the profile `strict`. */
export function collectionFor(grading: Grading): Collection {
  const draw = openDraw();
  const strict = grading === 'strict';
  const [one, other, thing, unknown] = strict
    ? [draw.username(), draw.username(), draw.word(), draw.username()]
    : ['user1', 'user2', 'profile', 'nonexistent'];
  const welcome = `Welcome to my ${thing}`;
  const photo = (): Pick<Profile, 'photo'> => (strict ? { photo: framePicture(randomInt(2, 2 ** 32)) } : {});
  const profiles = [
    { username: one, page: `<html><body><h1>${one}! ${welcome}</h1></body></html>`, ...photo() },
    { username: other, page: `<html><body><h1>${other}: ${welcome}</h1></body></html>`, ...photo() },
  ] as const;
  return { profiles, welcome, unknown };
}

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
