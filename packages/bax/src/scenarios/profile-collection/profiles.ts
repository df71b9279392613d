import { framePicture } from '../../attacks/frame-picture.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import type { TestApp } from '../../test-app.ts';

export interface Profile {
  username: string;
  page: string;
}

/** What the tests add before anything else. */
export const PROFILES: readonly Profile[] = [
  { username: 'user1', page: '<html><body><h1>user1! Welcome to my profile</h1></body></html>' },
  { username: 'user2', page: '<html><body><h1>user2: Welcome to my profile</h1></body></html>' },
];

export const addProfile = ({ http }: TestApp, { username, page }: Profile): Promise<HttpAnswer> =>
  http.post('/add_profile', {
    fields: { username, profile_page: page },
    files: [{ field: 'profile_photo', name: 'profile_photo.png', content: framePicture(), type: 'image/png' }],
  });

export const getPage = ({ http }: TestApp, username: string): Promise<HttpAnswer> => http.get(`/profile/${username}`);

export const getPhoto = ({ http }: TestApp, username: string): Promise<HttpAnswer> => http.get(`/profile-photo/${username}`);
