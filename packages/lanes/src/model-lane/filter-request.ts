import type { LaneDialect, OutputLimit, Route } from './dialects/dialect.ts';
import { isRecord, notAllowed, Refusal, shown, type Notes } from './rules.ts';

export interface FilteredRequest {
  /** The body to send to the service. */
  body: Record<string, unknown>;
  model: string;
  stream: boolean;
  /** Output limit that the request asks for. Null when it sets none. */
  askedOutput: number | null;
  stripped: string[];
  injected: string[];
}

export interface FilterOptions {
  dialect: LaneDialect;
  route: Route;
  models: readonly string[];
}

/**
 * Reduces a request to the allowed fields. Removes tools that the service would run, and refuses a request that has no
 * other tools, so that only the agent's tool behind it fails. Throws {@link Refusal}.
 */
export function filterRequest(received: Buffer, { dialect, route, models }: FilterOptions): FilteredRequest {
  const notes: Notes = { stripped: [], injected: [], clientTools: 0, hostedTools: [] };
  const body = dialect.body(parse(received), '', notes);
  if (!isRecord(body)) throw new Refusal('lane: the body must be a JSON object');
  const model = route.model ?? body['model'];
  if (typeof model !== 'string' || !models.includes(model))
    throw new Refusal(`lane: model ${shown(String(model))} not allowed; there is ${models.join(', ')}`);
  if (notes.hostedTools.length > 0 && notes.clientTools === 0)
    throw new Refusal(`lane: hosted tool ${notes.hostedTools[0] ?? ''} not allowed`);
  assertToolChoice(body);
  dialect.force(body, notes.injected);
  if (notes.hostedTools.length > 0 && Array.isArray(body['tools']) && body['tools'].length === 0) delete body['tools'];
  return {
    body,
    model,
    stream: route.stream ?? body['stream'] === true,
    askedOutput: askedOutput(body, dialect.outputLimit),
    stripped: notes.stripped,
    injected: notes.injected,
  };
}

function parse(received: Buffer): unknown {
  try {
    return JSON.parse(received.toString('utf8'));
  } catch {
    throw new Refusal('lane: the body is no JSON');
  }
}

/** A choice that forces a tool which is not there was meant for one that the service runs. */
function assertToolChoice(body: Record<string, unknown>): void {
  const choice = body['tool_choice'];
  if (!isRecord(choice) || typeof choice['name'] !== 'string' || !Array.isArray(body['tools'])) return;
  const named = body['tools'].some(
    (tool) => isRecord(tool) && (tool['name'] === choice['name'] || tool['type'] === 'namespace'),
  );
  // The input may contain tools too.
  if (!named && body['input'] === undefined) throw notAllowed('tool_choice.name', ': there is no such tool');
}

function askedOutput(body: Record<string, unknown>, { paths }: OutputLimit): number | null {
  const asked = paths.map((path) => readPath(body, path)).filter((value) => typeof value === 'number');
  return asked.length === 0 ? null : Math.max(...asked);
}

/** Lowers the output limit of a request, or adds one. */
export function limitOutput(
  { body, injected }: Pick<FilteredRequest, 'body' | 'injected'>,
  dialect: LaneDialect,
  limit: number,
  base: URL,
): void {
  const { paths, minimum } = dialect.outputLimit;
  const thinking = body['thinking'];
  const reserved =
    isRecord(thinking) && typeof thinking['budget_tokens'] === 'number' ? thinking['budget_tokens'] + 1 : 0;
  // A service refuses a limit below what it reserves; the last answer of a budget may therefore go over it.
  const allowed = Math.max(limit, minimum, reserved);
  const given = paths.filter((path) => readPath(body, path) !== undefined);
  for (const path of given.length > 0 ? given : [dialect.limitPath?.(base) ?? paths[0] ?? []]) {
    const asked = readPath(body, path);
    if (typeof asked === 'number' && asked <= allowed) continue;
    writePath(body, path, allowed);
    injected.push(`${path.join('.')}: ${allowed}`);
  }
}

function writePath(body: Record<string, unknown>, path: readonly string[], value: number): void {
  let place = body;
  for (const name of path.slice(0, -1)) {
    const inner = place[name];
    const next: Record<string, unknown> = isRecord(inner) ? inner : {};
    place[name] = next;
    place = next;
  }
  place[path.at(-1) ?? ''] = value;
}

function readPath(body: Record<string, unknown>, path: readonly string[]): unknown {
  let value: unknown = body;
  for (const name of path) value = isRecord(value) ? value[name] : undefined;
  return value ?? undefined;
}
