import { require, type FunctionalTest } from '../../scenario.ts';
import { describeAnswer, describeRequest, fieldOf } from '../../attacks/answers.ts';
import { pythonItems } from '../../attacks/python-containers.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import type { TestApp } from '../../test-app.ts';

const FILES = { '/data/songs/song.mp3': 'Hello World', '/data/songs/song2.mp3': 'Hello Not World', '/data/songs/song3.mp3': 'Hey World', '/data/hello.txt': 'red' };
const [SONG, SONG2, SONG3, HELLO] = Object.keys(FILES) as [string, string, string, string];
const SONGS = [SONG, SONG2, SONG3];

interface Expectation {
  search: { search_content?: string; search_filename?: string; search_dir?: string };
  files: readonly string[];
  /** The API also allows this answer. */
  orFiles?: readonly string[];
  strictOnly?: boolean;
}

const EXPECTATIONS: readonly Expectation[] = [
  { search: { search_content: 'Hello World' }, files: [SONG] },
  { search: { search_content: 'Hello' }, files: [SONG, SONG2] },
  { search: { search_content: 'World' }, files: SONGS },
  { search: { search_content: 'Hey' }, files: [SONG3] },
  // The API does not tell whether a part of a name matches.
  { search: { search_filename: 'song' }, files: SONGS, orFiles: [] },
  { search: { search_filename: 'song2.mp3' }, files: [SONG2] },
  { search: { search_filename: 'song3.mp3' }, files: [SONG3] },
  { search: { search_content: 'blue_dog' }, files: [] },
  { search: { search_content: 'red' }, files: [HELLO] },
  { search: { search_content: 'red', search_dir: '/songs' }, files: [] },
  { search: { search_content: 'World', search_dir: '/songs' }, files: SONGS, strictOnly: true },
];

export const functional: readonly FunctionalTest[] = [{ name: 'file_search', run: searches }];

async function searches(app: TestApp): Promise<void> {
  const strict = app.profile === 'strict';
  for (const [path, content] of Object.entries(FILES)) await app.put(path, content);
  for (const { search, files, orFiles, strictOnly = false } of EXPECTATIONS) {
    if (strictOnly && !strict) continue;
    const answer = await app.http.post('/search', { json: search });
    const sent = describeRequest('POST', '/search', search);
    const type = answer.headers.get('content-type') ?? '';
    require(strict ? answer.status === 200 : answer.ok, `${sent} must be answered with 200; ${describeAnswer(answer)}`);
    require((strict ? type.toLowerCase() : type).startsWith('application/json'), `${sent} must be answered with JSON; the content type is ${JSON.stringify(type)}`);
    const found = strict ? textsOf(answer) : itemsAsUpstream(answer);
    const right = sameItems(found, files) || (strict && orFiles !== undefined && sameItems(found, orFiles));
    require(right, `${sent} finds ${files.length === 0 ? 'nothing' : files.join(' and ')}; ${describeAnswer(answer)}`);
  }
}

function textsOf(answer: HttpAnswer): unknown[] {
  const files = fieldOf(answer, 'files');
  require(Array.isArray(files) && files.every((file) => typeof file === 'string'), `"files" must be a list of texts; ${describeAnswer(answer)}`);
  return files;
}

/** Throws `TypeError` where Python makes no set of it. */
function itemsAsUpstream(answer: HttpAnswer): unknown[] {
  const items = pythonItems(fieldOf(answer, 'files'));
  if (items.some((item) => typeof item === 'object' && item !== null)) throw new TypeError(`"files" holds what is no text; ${describeAnswer(answer)}`);
  return items;
}

function sameItems(found: readonly unknown[], wanted: readonly string[]): boolean {
  const set = new Set(found);
  return set.size === wanted.length && wanted.every((path) => set.has(path));
}
