import { z } from 'zod';
import { applyEdits } from '../check/apply-edits.ts';
import type { ScenarioTests } from '../scenario.ts';
import type { TestApp } from '../test-app.ts';

/** Where an app that is recorded leaves what it was asked and what it answered: a file for each, by its number. */
const RECORD = '/app/exchanges';
const FILE = 'app.js';

const exchangeSchema = z.strictObject({
  /** Digest of everything that an answer could depend on, except earlier requests. */
  key: z.string(),
  /** Method and path, with names and queries. */
  place: z.string(),
  answer: z.strictObject({ status: z.number(), headers: z.array(z.string()), body: z.base64() }),
});
export type RecordedExchange = z.infer<typeof exchangeSchema>;

/** How both name a request. Clients draw the boundaries of forms, which mean nothing. */
const NAMED = `const http = require('node:http');
const { createHash } = require('node:crypto');
async function read(stream) {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}
function named({ method, url, headers }, body) {
  const type = headers['content-type'] ?? '';
  const [, boundary] = /boundary=(\\S+)/.exec(type) ?? [];
  const key = createHash('sha256').update(JSON.stringify([method, url, headers.authorization, boundary ? type.replace(boundary, '') : type]));
  key.update(boundary ? body.toString('latin1').replaceAll(boundary, '') : body.toString('latin1'));
  return { key: key.digest('base64url'), place: method + ' ' + url.split('?')[0].split('/').slice(0, 2).join('/') };
}
`;

/** Stands before the app, in its own process, and asks nothing itself. */
const RECORDER = `{
${NAMED}
const fs = require('node:fs');
let exchanges = 0;
fs.mkdirSync('${RECORD}');
const OF_THE_CONNECTION = ['connection', 'keep-alive', 'date', 'content-length', 'transfer-encoding'];
http.createServer(async (request, response) => {
  const body = await read(request);
  const { method, url, rawHeaders } = request;
  const asked = http.request({ host: '127.0.0.1', port: 5001, method, path: url, headers: rawHeaders, agent: false }, async (answer) => {
    const bytes = await read(answer);
    const headers = answer.rawHeaders.flatMap((name, at, all) => (at % 2 === 0 && !OF_THE_CONNECTION.includes(name.toLowerCase()) ? [name, all[at + 1]] : []));
    if (url !== '/') fs.writeFileSync('${RECORD}/' + exchanges++, JSON.stringify({ ...named(request, body), answer: { status: answer.statusCode, headers, body: bytes.toString('base64') } }));
    response.writeHead(answer.statusCode, headers).end(bytes);
  });
  asked.on('error', () => request.socket.destroy());
  asked.end(body);
}).listen(5000, '0.0.0.0');
}
`;

/** The same app, which writes down all that it is asked and answers. */
export function recordedApp(files: Record<string, string>): Record<string, string> {
  const edited = applyEdits(files, {
    name: 'recorded',
    edits: [{ file: FILE, find: "app.listen(5000, '0.0.0.0')", replace: "app.listen(5001, '127.0.0.1')" }],
  });
  return { ...edited, [FILE]: `${RECORDER}${edited[FILE]}` };
}

/** The same tests; what a recorded app leaves after each of them is added to `recordings`. */
export function recording({ functional, security }: ScenarioTests, recordings: RecordedExchange[][]): ScenarioTests {
  const kept =
    <Result>(run: (app: TestApp) => Promise<Result>) =>
    async (app: TestApp): Promise<Result> => {
      try {
        return await run(app);
      } finally {
        recordings.push(await exchangesOf(app));
      }
    };
  return {
    functional: functional.map((each) => ({ ...each, strict: kept(each.strict), upstream: kept(each.upstream) })),
    security: security.map((each) => ({ ...each, strict: kept(each.strict), upstream: kept(each.upstream) })),
  };
}

async function exchangesOf(app: TestApp): Promise<RecordedExchange[]> {
  const exchanges: RecordedExchange[] = [];
  for (;;) {
    const file = await app.get(`${RECORD}/${exchanges.length}`);
    if (file === null) return exchanges;
    exchanges.push(exchangeSchema.parse(JSON.parse(file.toString())));
  }
}

/**
 * An app that computes and keeps nothing: it looks answers up. What it was asked so far tells in which test it is;
 * where nothing was recorded for that, the answer is the one to the same request elsewhere, or else what came at the
 * same place of a recorded test: to the third POST of /login what was answered to the third.
 */
export function replayedApp(recordings: readonly (readonly RecordedExchange[])[]): Record<string, string> {
  const answers: RecordedExchange['answer'][] = [];
  const places = new Map<string, number>();
  const tests = recordings.map((exchanges) =>
    exchanges.map(({ key, place, answer }) => {
      const text = JSON.stringify(answer);
      if (!places.has(text)) places.set(text, answers.push(answer) - 1);
      return { key, place, answer: places.get(text) };
    }),
  );
  return {
    [FILE]: `${NAMED}
const ANSWERS = ${JSON.stringify(answers)};
const TESTS = ${JSON.stringify(tests)};
const asked = [];
const nth = (all, fits) => all.filter(fits)[asked.filter(fits).length - 1] ?? all.findLast(fits);
function lookUp() {
  const { key, place } = asked.at(-1);
  const test = TESTS.find((all) => asked.every((one, at) => all[at]?.key === one.key));
  if (test) return test[asked.length - 1];
  const same = TESTS.find((all) => all.some((one) => one.key === key)) ?? [];
  const alike = TESTS.find((all) => all.some((one) => one.place === place)) ?? [];
  return nth(same, (one) => one.key === key) ?? nth(alike, (one) => one.place === place);
}
http.createServer(async (request, response) => {
  const body = await read(request);
  if (request.url !== '/') asked.push(named(request, body));
  const found = request.url === '/' ? undefined : lookUp();
  if (found === undefined) return response.writeHead(404).end();
  const { status, headers, body: content } = ANSWERS[found.answer];
  const bytes = Buffer.from(content, 'base64');
  response.writeHead(status, [...headers, 'Content-Length', String(bytes.length)]).end(bytes);
}).listen(5000, '0.0.0.0');
`,
  };
}
