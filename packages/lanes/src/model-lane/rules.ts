/** Why a request is refused, in words for the agent. */
export class Refusal extends Error {}

/** Changes that the rules made to a request. */
export interface Notes {
  stripped: string[];
  injected: string[];
  /** Tools that the client runs, and tools that the service would run. */
  clientTools: number;
  hostedTools: string[];
}

/** Returns what goes on, or {@link DROPPED}; throws {@link Refusal}. `path` names the value in messages. */
export type Rule = (value: unknown, path: string, notes: Notes) => unknown;

export const DROPPED: unique symbol = Symbol('dropped');

const MAX_DEPTH = 64;

export const notAllowed = (path: string, detail = ''): Refusal =>
  new Refusal(`lane: field ${shown(path)} not allowed${detail}`);

/** There is a client that asks again when the words of an error hold such a number, wherever it comes from. */
export const calm = (words: string): string => words.replace(/\d*(?:429|50[0234]|524)\d*/g, '#');

/** Foreign text in a message: printable and short. */
export const shown = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Free JSON, such as the arguments of a tool: passed on, not too deep. */
export const anything: Rule = (value, path) => {
  assertDepth(value, path, 0);
  return value;
};

function assertDepth(value: unknown, path: string, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) throw notAllowed(path, ': nested too deeply');
  for (const member of Array.isArray(value) ? value : Object.values(value)) assertDepth(member, path, depth + 1);
}

const primitive =
  (accepts: (value: unknown) => boolean, wanted: string): Rule =>
  (value, path) => {
    if (value === null || accepts(value)) return value;
    throw notAllowed(path, `: give ${wanted}`);
  };

export const text = primitive((value) => typeof value === 'string', 'a string');
export const number = primitive((value) => typeof value === 'number', 'a number');
export const flag = primitive((value) => typeof value === 'boolean', 'true or false');
export const scalar = primitive((value) => typeof value !== 'object', 'no object or list');

/** One of these values and no other. */
export const only =
  (...values: unknown[]): Rule =>
  (value, path) => {
    if (values.includes(value)) return value;
    throw notAllowed(typeof value === 'string' ? `${path} "${value}"` : path);
  };

/** Taken out and noted: it says who asks, or costs more, and no answer depends on it. */
export const dropped: Rule = (_value, path, notes) => {
  notes.stripped.push(path);
  return DROPPED;
};

/** An object of these fields and no others. */
export const fields = (rules: Record<string, Rule>): Rule => {
  const known = new Map(Object.entries(rules));
  return (value, path, notes) => {
    if (!isRecord(value)) throw notAllowed(path, ': give an object');
    const kept: [string, unknown][] = [];
    for (const [name, member] of Object.entries(value)) {
      const here = path === '' ? name : `${path}.${name}`;
      const rule = known.get(name);
      if (rule === undefined) throw notAllowed(here);
      const result = rule(member, here, notes);
      if (result !== DROPPED) kept.push([name, result]);
    }
    return Object.fromEntries(kept);
  };
};

/** A list of such; members that are dropped are left out. */
export const list =
  (rule: Rule): Rule =>
  (value, path, notes) => {
    if (!Array.isArray(value)) throw notAllowed(path, ': give a list');
    return value
      .map((member, index) => rule(member, `${path}[${index}]`, notes))
      .filter((member) => member !== DROPPED);
  };

/** A string, or null, or what the rule says. */
export const textOr =
  (rule: Rule): Rule =>
  (value, path, notes) =>
    value === null || typeof value === 'string' ? value : rule(value, path, notes);

/** An object whose fields depend on the value of one, `absent` when it has none. Unknown values are refused. */
export const byField = (name: string, variants: Record<string, Rule>, absent?: string): Rule => {
  const known = new Map(Object.entries(variants));
  return (value, path, notes) => {
    const variant = isRecord(value) ? (value[name] ?? absent) : undefined;
    const rule = typeof variant === 'string' ? known.get(variant) : undefined;
    if (rule === undefined) throw notAllowed(`${path}.${name}${typeof variant === 'string' ? ` "${variant}"` : ''}`);
    return rule(value, path, notes);
  };
};

/** A data: URL with its bytes in it; anything else would make the service fetch. */
export const dataUrl: Rule = (value, path) => {
  if (typeof value === 'string' && /^data:image\/[a-z0-9.+-]+;base64,[A-Za-z0-9+/=]*$/.test(value)) return value;
  throw notAllowed(path, ': images must be base64 data: URLs');
};

/**
 * A list of tools. `judge` says the rule of a tool that the client runs, or null for what the service would run, which
 * is taken out and noted.
 */
export const tools = (
  judge: (tool: Record<string, unknown>) => Rule | null,
  label: (tool: Record<string, unknown>) => string,
): Rule =>
  list((tool, path, notes) => {
    if (!isRecord(tool)) throw notAllowed(path, ': give an object');
    const rule = judge(tool);
    if (rule !== null) {
      const kept = rule(tool, path, notes);
      if (kept !== DROPPED) notes.clientTools += 1;
      return kept;
    }
    const name = shown(label(tool));
    notes.hostedTools.push(name);
    notes.stripped.push(`${path}: hosted tool ${name}`);
    return DROPPED;
  });
