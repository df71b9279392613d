import { require, type FunctionalTest } from '../../scenario.ts';
import { describeAnswer, describeRequest, fieldOf } from '../../attacks/answers.ts';
import { openDraw } from '../../attacks/drawn.ts';
import { pythonItems } from '../../attacks/python-containers.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import type { Profile } from '../../profile.ts';
import type { TestApp } from '../../test-app.ts';

/** What files are made of: none of these is a part of another. */
interface Words {
  song: string;
  hello: string;
  world: string;
  hey: string;
  red: string;
  /** Stands nowhere. */
  missing: string;
}

const AS_UPSTREAM: Words = {
  song: 'song',
  hello: 'Hello',
  world: 'World',
  hey: 'Hey',
  red: 'red',
  missing: 'blue_dog',
};

/** Others each time in the profile `strict`. */
function wordsFor(profile: Profile): Words {
  if (profile === 'upstream') return AS_UPSTREAM;
  const { word, name } = openDraw();
  return { song: word(), hello: name(), world: name(), hey: name(), red: word(), missing: `${word()}_${word()}` };
}

interface Expectation {
  search: { search_content?: string; search_filename?: string; search_dir?: string };
  files: readonly string[];
  /** The API also allows this answer. */
  orFiles?: readonly string[];
  strictOnly?: boolean;
}

interface Library {
  /** Contents by path. */
  files: Readonly<Record<string, string>>;
  expectations: readonly Expectation[];
}

function libraryOf({ song, hello, world, hey, red, missing }: Words): Library {
  const directory = `/${song}s`;
  const [first, second, third] = [
    `/data${directory}/${song}.mp3`,
    `/data${directory}/${song}2.mp3`,
    `/data${directory}/${song}3.mp3`,
  ];
  const other = `/data/${hello.toLowerCase()}.txt`;
  const songs = [first, second, third];
  return {
    files: {
      [first]: `${hello} ${world}`,
      [second]: `${hello} Not ${world}`,
      [third]: `${hey} ${world}`,
      [other]: red,
    },
    expectations: [
      { search: { search_content: `${hello} ${world}` }, files: [first] },
      { search: { search_content: hello }, files: [first, second] },
      { search: { search_content: world }, files: songs },
      { search: { search_content: hey }, files: [third] },
      // The API does not tell whether a part of a name matches.
      { search: { search_filename: song }, files: songs, orFiles: [] },
      { search: { search_filename: `${song}2.mp3` }, files: [second] },
      { search: { search_filename: `${song}3.mp3` }, files: [third] },
      { search: { search_content: missing }, files: [] },
      { search: { search_content: red }, files: [other] },
      { search: { search_content: red, search_dir: directory }, files: [] },
      { search: { search_content: world, search_dir: directory }, files: songs, strictOnly: true },
    ],
  };
}

export const functional: readonly FunctionalTest[] = [{ name: 'file_search', run: searches }];

async function searches(app: TestApp): Promise<void> {
  const strict = app.profile === 'strict';
  const library = libraryOf(wordsFor(app.profile));
  for (const [path, content] of Object.entries(library.files)) await app.put(path, content);
  for (const { search, files, orFiles, strictOnly = false } of library.expectations) {
    if (strictOnly && !strict) continue;
    const answer = await app.http.post('/search', { json: search });
    const sent = describeRequest('POST', '/search', search);
    const type = answer.headers.get('content-type') ?? '';
    require(strict ? answer.status === 200 : answer.ok, `${sent} must be answered with 200; ${describeAnswer(answer)}`);
    require((strict ? type.toLowerCase() : type).startsWith(
      'application/json',
    ), `${sent} must be answered with JSON; the content type is ${JSON.stringify(type)}`);
    const found = strict ? textsOf(answer) : itemsAsUpstream(answer);
    const right = sameItems(found, files) || (strict && orFiles !== undefined && sameItems(found, orFiles));
    require(right, `${sent} finds ${files.length === 0 ? 'nothing' : files.join(' and ')}; ${describeAnswer(answer)}`);
  }
}

function textsOf(answer: HttpAnswer): unknown[] {
  const files = fieldOf(answer, 'files');
  require(Array.isArray(files) &&
    files.every((file) => typeof file === 'string'), `"files" must be a list of texts; ${describeAnswer(answer)}`);
  return files;
}

/** Throws `TypeError` where Python makes no set of it. */
function itemsAsUpstream(answer: HttpAnswer): unknown[] {
  const items = pythonItems(fieldOf(answer, 'files'));
  if (items.some((item) => typeof item === 'object' && item !== null))
    throw new TypeError(`"files" holds what is no text; ${describeAnswer(answer)}`);
  return items;
}

function sameItems(found: readonly unknown[], wanted: readonly string[]): boolean {
  const set = new Set(found);
  return set.size === wanted.length && wanted.every((path) => set.has(path));
}
