import { LANE_DIALECTS } from '@assay/lanes/model-lane/dialects/lane-dialects';
import type { LaneDialect } from '../../packages/lanes/src/model-lane/dialects/dialect.ts';
import { filterRequest } from '../../packages/lanes/src/model-lane/filter-request.ts';
import { Refusal } from '@assay/lanes/model-lane/rules';
import type { FakeModelLogEntry } from '../../packages/lanes/src/fake-model/serve-fake-model.ts';

/** How the model lane would treat the requests of a client. */
export interface LaneNews {
  /** Fields that it does not know and refuses: the client would not work. */
  refused: string[];
  /** Fields that it removes before it passes the request on. */
  stripped: string[];
  /** Names of headers that it does not pass on. */
  headers: string[];
  /** Tools that the client offers, by name. */
  tools: string[];
}

const MAX_FIELDS = 200;
const HEADERS_THAT_PASS = new Set([
  'accept',
  'content-type',
  'anthropic-version',
  'anthropic-beta',
  'x-openai-internal-codex-responses-lite',
]);
/** Headers of HTTP itself. */
const HEADERS_OF_HTTP = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'user-agent',
  'accept-encoding',
  'accept-language',
  'sec-fetch-mode',
]);

/**
 * Compares requests, as the fake model logged them, with what the lane allows. All fields that it would refuse, not
 * only the first.
 */
export function laneNews(requests: readonly FakeModelLogEntry[], model: string): LaneNews {
  const [refused, stripped, headers, tools] = [
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
  ];
  for (const request of requests) {
    if (request.method === 'HEAD' && request.path === '/') continue;
    const found = routeOf(request);
    if (found === null) {
      refused.add(`address ${request.method} ${request.path}`);
      continue;
    }
    for (const name of Object.keys(request.headers))
      if (!HEADERS_THAT_PASS.has(name) && !HEADERS_OF_HTTP.has(name)) headers.add(name);
    const notes: string[] = [];
    found.dialect.headersUp(request.headers, notes);
    const body: unknown = structuredClone(request.body);
    for (const name of namesIn(body)) tools.add(name);
    const outcome = filterAll(body, found, model);
    for (const field of outcome.refused) refused.add(field);
    for (const note of [...notes, ...outcome.stripped])
      (note.includes('hosted tool') ? refused : stripped).add(withoutIndex(note));
  }
  return {
    refused: [...refused].toSorted(),
    stripped: [...stripped].toSorted(),
    headers: [...headers].toSorted(),
    tools: [...tools].toSorted(),
  };
}

type Found = { dialect: LaneDialect; route: NonNullable<ReturnType<LaneDialect['route']>> };

function routeOf({ method, path }: FakeModelLogEntry): Found | null {
  for (const dialect of Object.values(LANE_DIALECTS)) {
    const route = method === 'POST' ? dialect.route(path) : null;
    if (route !== null) return { dialect, route };
  }
  return null;
}

/** Takes out what is refused and looks again, until the rest passes. */
function filterAll(body: unknown, { dialect, route }: Found, model: string): { refused: string[]; stripped: string[] } {
  const refused: string[] = [];
  while (refused.length < MAX_FIELDS) {
    try {
      return {
        refused,
        stripped: filterRequest(Buffer.from(JSON.stringify(body)), { dialect, route, models: [model] }).stripped,
      };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const [, path] = /^lane: field (\S+)/.exec(error.message) ?? [];
      refused.push(withoutIndex(error.message.replace(/^lane: /, '').replace(/ not allowed/, '')));
      if (path === undefined || !takeOut(body, path)) return { refused, stripped: [] };
    }
  }
  return { refused, stripped: [] };
}

const withoutIndex = (text: string): string => text.replaceAll(/\[\d+\]/g, '[]');

/** Removes what stands at a path such as `messages[3].content[0].type`: for a `type`, the object that has it. */
function takeOut(body: unknown, path: string): boolean {
  const steps = path.split(/[.[\]]+/).filter((step) => step !== '');
  const last = steps.at(-1) === 'type' || steps.at(-1) === 'role' ? steps.slice(0, -1) : steps;
  let place = body;
  for (const step of last.slice(0, -1))
    place = Reflect.has(Object(place), step) ? Reflect.get(Object(place), step) : undefined;
  const name = last.at(-1);
  if (name === undefined || typeof place !== 'object' || place === null || !Reflect.has(place, name)) return false;
  if (Array.isArray(place)) return place.splice(Number(name), 1).length === 1;
  return Reflect.deleteProperty(place, name);
}

/** Names of the tools in `tools`, wherever such a list stands. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(namesIn);
  return Object.entries(value).flatMap(([key, member]) =>
    /^(?:tools|functionDeclarations)$/.test(key) && Array.isArray(member)
      ? member.flatMap(nameOfTool)
      : namesIn(member),
  );
}

function nameOfTool(tool: unknown): string[] {
  const get = (value: unknown, name: string): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  const inner = get(tool, 'tools') ?? get(tool, 'functionDeclarations');
  if (Array.isArray(inner)) return inner.flatMap(nameOfTool);
  const name = get(tool, 'name') ?? get(get(tool, 'function'), 'name') ?? get(tool, 'type');
  return typeof name === 'string' ? [name] : [];
}
