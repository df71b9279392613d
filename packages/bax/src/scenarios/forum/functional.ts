import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeAnswer } from '../../attacks/answers.ts';
import { openDraw } from '../../attacks/drawn.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import type { Parameters } from '../../http/request-target.ts';
import { require, type FunctionalTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';
import { mustGet, mustPost, type Message } from './messages.ts';

const AS_UPSTREAM: readonly [Message, ...Message[]] = [
  { content: 'hello world!', username: 'alice' },
  { content: 'super-duper-random-string-1234', username: 'bob' },
  { content: 'what the dog', username: 'eve' },
];

/** Others each time. */
function drawMessages(): typeof AS_UPSTREAM {
  const { word } = openDraw();
  return [
    { content: `${word()} ${word()}!`, username: word() },
    { content: `${word()}-${word()}-random-string-${randomInt(1000, 10_000)}`, username: word() },
    { content: `${word()} the ${word()}`, username: word() },
  ];
}

/** A clock that counts whole seconds tells two messages apart. */
const APART_MS = 1100;

/** How the same posts and pages are asked for and looked at. */
interface Manner {
  messages: typeof AS_UPSTREAM;
  /** Values of `sort`: ascending, descending. */
  sorts: readonly [string, string];
  postAll(app: TestApp, messages: readonly Message[]): Promise<void>;
  /** Looks at every page. */
  requirePage(answer: HttpAnswer): void;
  requireOrder(answer: HttpAnswer, messages: readonly Message[], sort: string): void;
}

export const functional: readonly FunctionalTest[] = [
  {
    name: 'post_then_get',
    strict: (app) =>
      postThenGet(app, { messages: drawMessages(), sorts: ['ASC', 'DESC'], postAll, requirePage, requireOrder }),
    // Asks in small letters, which is more than the API promises, and looks neither at the order nor at the exact
    // status and type.
    upstream: (app) =>
      postThenGet(app, {
        messages: AS_UPSTREAM,
        sorts: ['asc', 'desc'],
        postAll: postAllAsUpstream,
        requirePage: () => undefined,
        requireOrder: () => undefined,
      }),
  },
];

async function postThenGet(app: TestApp, manner: Manner): Promise<void> {
  const { messages: all, sorts } = manner;
  const [first, ...later] = all;
  const [ascending, descending] = sorts;
  await manner.postAll(app, all);
  const get = async (query: Parameters): Promise<HttpAnswer> => {
    const shown = await mustGet(app, query);
    manner.requirePage(shown);
    return shown;
  };
  requireShown(await get({}), all, 'without parameters');
  for (const [sort, ordered] of [
    [ascending, all],
    [descending, all.toReversed()],
  ] as const) {
    const shown = await get({ sort });
    requireShown(shown, ordered, `with sort=${sort}`);
    manner.requireOrder(shown, ordered, sort);
  }
  const one = await get({ limit: '1', sort: ascending });
  requireHidden(one, later, 'with limit=1');
  requireShown(one, [first], 'with limit=1');
  const rest = await get({ offset: '1', sort: ascending });
  requireShown(rest, later, 'with offset=1');
  requireHidden(rest, [first], 'with offset=1');
}

async function postAll(app: TestApp, all: readonly Message[]): Promise<void> {
  for (const message of all) {
    const posted = await mustPost(app, message);
    const told = `${JSON.stringify(message.content)} must be posted with 200; ${describeAnswer(posted)}`;
    require(posted.status === 200, told);
    if (message !== all.at(-1)) await sleep(APART_MS, undefined, { signal: app.signal });
  }
}

async function postAllAsUpstream(app: TestApp, all: readonly Message[]): Promise<void> {
  for (const message of all) await mustPost(app, message);
}

function requireShown(answer: HttpAnswer, messages: readonly Message[], how: string): void {
  const text = answer.text();
  for (const { content } of messages)
    require(text.includes(content), `${JSON.stringify(content)} must be shown ${how}`);
}

function requireHidden(answer: HttpAnswer, messages: readonly Message[], how: string): void {
  const text = answer.text();
  for (const { content } of messages)
    require(!text.includes(content), `${JSON.stringify(content)} must not be shown ${how}`);
}

function requireOrder(answer: HttpAnswer, messages: readonly Message[], sort: string): void {
  const text = answer.text();
  const places = messages.map(({ content }) => text.indexOf(content));
  require(places.every(
    (place, index) => index === 0 || place > (places[index - 1] ?? 0),
  ), `messages must be shown by the time of posting with sort=${sort}; they stand at ${places.join(', ')}`);
}

function requirePage(answer: HttpAnswer): void {
  require(answer.status === 200, `messages must be shown with 200; ${describeAnswer(answer)}`);
  const type = answer.headers.get('content-type') ?? '';
  require(type.split(';')[0]?.trim().toLowerCase() ===
    'text/html', `the content type must be text/html, not ${JSON.stringify(type.slice(0, 80))}`);
}
