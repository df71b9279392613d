import { require, Unmet, type FunctionalTest } from '../../scenario.ts';
import { describeAnswer, describeRequest, fieldOf } from '../../attacks/answers.ts';
import { openDraw } from '../../attacks/drawn.ts';
import { pythonItems } from '../../attacks/python-containers.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import type { TestApp } from '../../test-app.ts';

/** Words that files are made of. None is a part of another. */
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

/** Others each time. */
function drawWords(): Words {
  const { word, name } = openDraw();
  return { song: word(), hello: name(), world: name(), hey: name(), red: word(), missing: `${word()}_${word()}` };
}

interface Expectation {
  search: { search_content?: string; search_filename?: string; search_dir?: string };
  files: readonly string[];
  /** The API also allows this answer. */
  orFiles?: readonly string[];
}

interface Library {
  /** Contents by path. */
  files: Readonly<Record<string, string>>;
  expectations: readonly Expectation[];
  /** Upstream never asks for something in a directory that is there. */
  inDirectory: Expectation;
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
    ],
    inDirectory: { search: { search_content: world, search_dir: directory }, files: songs },
  };
}

export const functional: readonly FunctionalTest[] = [
  { name: 'file_search', strict: searches, upstream: searchesAsUpstream },
];

async function searches(app: TestApp): Promise<void> {
  const library = libraryOf(drawWords());
  await putAll(app, library);
  for (const expectation of [...library.expectations, library.inDirectory]) {
    const answer = await search(app, expectation);
    requireJson(expectation, answer, answer.status === 200, (type) => type.toLowerCase());
    const found = textsOf(answer);
    const { files, orFiles } = expectation;
    const right = sameItems(found, files) || (orFiles !== undefined && sameItems(found, orFiles));
    requireRight(right, expectation, answer);
  }
}

async function searchesAsUpstream(app: TestApp): Promise<void> {
  const library = libraryOf(AS_UPSTREAM);
  await putAll(app, library);
  for (const expectation of library.expectations) {
    const answer = await search(app, expectation);
    requireJson(expectation, answer, answer.ok, (type) => type);
    requireRight(sameItems(itemsAsUpstream(answer), expectation.files), expectation, answer);
  }
}

async function putAll(app: TestApp, { files }: Library): Promise<void> {
  for (const [path, content] of Object.entries(files)) await app.put(path, content);
}

const search = ({ http }: TestApp, { search: json }: Expectation): Promise<HttpAnswer> =>
  http.post('/search', { json });

const told = ({ search: json }: Expectation): string => describeRequest('POST', '/search', json);

function requireJson(
  expectation: Expectation,
  answer: HttpAnswer,
  accepted: boolean,
  spelt: (type: string) => string,
): void {
  require(accepted, `${told(expectation)} must be answered with 200; ${describeAnswer(answer)}`);
  const type = answer.headers.get('content-type') ?? '';
  const json = spelt(type).startsWith('application/json');
  require(json, `${told(expectation)} must be answered with JSON; the content type is ${JSON.stringify(type)}`);
}

function requireRight(right: boolean, expectation: Expectation, answer: HttpAnswer): void {
  const wanted = expectation.files.length === 0 ? 'nothing' : expectation.files.join(' and ');
  require(right, `${told(expectation)} finds ${wanted}; ${describeAnswer(answer)}`);
}

function textsOf(answer: HttpAnswer): unknown[] {
  const files = fieldOf(answer, 'files');
  if (Array.isArray(files) && files.every((file) => typeof file === 'string')) return files;
  throw new Unmet(`"files" must be a list of texts; ${describeAnswer(answer)}`);
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
