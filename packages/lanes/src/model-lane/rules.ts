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

/** Some client retries when the text of an error contains such a number. */
export const calm = (words: string): string => words.replace(/\d*(?:429|50[0234]|524)\d*/g, '#');

/** Shortens foreign text for a message and makes it printable. */
export const shown = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Passes on any JSON that does not nest too deep, such as the arguments of a tool. */
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

/** Accepts one of these values. */
export const only =
  (...values: unknown[]): Rule =>
  (value, path) => {
    if (values.includes(value)) return value;
    throw notAllowed(typeof value === 'string' ? `${path} "${value}"` : path);
  };

/** Removes and notes a field that identifies the client or costs more, and that no answer depends on. */
export const dropped: Rule = (_value, path, notes) => {
  notes.stripped.push(path);
  return DROPPED;
};

/** Accepts an object of these fields and no others. */
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

/** Accepts a list, without the members that the rule drops. */
export const list =
  (rule: Rule): Rule =>
  (value, path, notes) => {
    if (!Array.isArray(value)) throw notAllowed(path, ': give a list');
    return value
      .map((member, index) => rule(member, `${path}[${index}]`, notes))
      .filter((member) => member !== DROPPED);
  };

/** Accepts a string, null, or what the rule accepts. */
export const textOr =
  (rule: Rule): Rule =>
  (value, path, notes) =>
    value === null || typeof value === 'string' ? value : rule(value, path, notes);

/** Accepts an object whose fields depend on the value of one, `absent` without it. Refuses unknown values. */
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
