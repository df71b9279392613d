import { isDeepStrictEqual } from 'node:util';
import { Decoder } from './decode-value.mjs';

const MAX_TEXT = 120;
const MAX_MESSAGE = 100;
/** Where it was, and not what went wrong; names that only a bundler has. */
const PLACE = /(^|[\s'"(])\/\w+\/|__\w+|file:/;
const MISSING = /([\w$]+)\)? is not (a function|a constructor|defined)/;
const TAG = /^[A-Za-z_$][\w$]*$/;

class UnwritableError extends Error {}

/** Answers a `ToldRequest`. */
export function told({ tellings, reference, before }) {
  const fixed = read(reference);
  const earlier = read(before);
  const last = lastKnown(tellings, earlier);
  const answer = new Map();
  for (const telling of tellings) {
    if (numberOf(telling) > last.get(pathOf(telling))) continue;
    const found = tellOne(telling, fixed.get(telling.probe), earlier.get(telling.probe));
    if (found !== null) answer.set(telling.probe, { probe: telling.probe, ...found });
  }
  return { told: [...answer.values()] };
}

const pathOf = ({ probe }) => probe.slice(0, probe.lastIndexOf('#'));
const numberOf = ({ probe }) => Number(probe.slice(probe.lastIndexOf('#') + 1));

/**
 * By the path of a file, the last probe of which something is known, if only that it fails: the first after those that
 * were observed, where a file began and did not come to its end. Of files that did not begin in such a run, nothing is.
 */
function lastKnown(tellings, observed) {
  const numbers = new Map();
  for (const telling of tellings)
    numbers.set(pathOf(telling), [...(numbers.get(pathOf(telling)) ?? []), numberOf(telling)]);
  const has = (path, number) => observed.has(`${path}#${number}`);
  const files = [...numbers].map(([path, own]) => {
    const end = Math.max(...own);
    const seen = own.filter((number) => has(path, number));
    return { path, end, seen, hasBegun: has(path, end + 1), hasEnded: has(path, end + 2) };
  });
  const isCut = files.some(({ hasBegun, hasEnded }) => hasBegun && !hasEnded);
  return new Map(
    files.map(({ path, end, seen, hasBegun, hasEnded }) => {
      if (hasEnded || !isCut) return [path, end];
      return [path, hasBegun ? Math.max(-1, ...seen) + 1 : -1];
    }),
  );
}

/** `{isThrown, actual, expected}` by the file and the number of the probe; null in place of what cannot be decoded. */
function read(text) {
  const found = new Map();
  for (const line of text.split('\n')) {
    try {
      const [test, site, kind, [actual, expected]] = JSON.parse(line);
      const values = [decode(actual), decode(expected)];
      const isThrown = kind === 'thrown';
      found.set(`${test.slice(0, test.lastIndexOf(' > '))}#${site}`, {
        isThrown,
        actual: values[0],
        expected: values[1],
      });
    } catch {
      // A line that was cut off.
    }
  }
  return found;
}

function decode(encoded) {
  const decoder = new Decoder();
  const value = decoder.decode(encoded);
  return { value, isOpaque: decoder.isOpaque || decoder.isCapped };
}

function tellOne(telling, fixed, before) {
  if (fixed === undefined || !holds(telling, fixed, fixed)) return null;
  if (before !== undefined && holds(telling, before, fixed)) return null;
  if (telling.says && !String(fixed.actual.value?.message).includes(telling.says)) return null;
  const expected = telling.kind === 'raises' ? errorName(fixed) : literal(fixed.expected);
  if (expected === null) return null;
  return { expected, before: before === undefined ? null : outcomeOf(telling, before) };
}

const errorName = ({ actual: { value } }) => (TAG.test(value?.name) ? value.name : null);

function holds({ kind, raises }, { isThrown, actual }, { expected }) {
  if (kind === 'raises') return isThrown && (raises === '' || namesOf(actual.value).includes(raises));
  if (isThrown || actual.isOpaque || expected.isOpaque) return false;
  if (kind !== 'contains') return isDeepStrictEqual(actual.value, expected.value);
  const { value } = actual;
  if (typeof value === 'string') return typeof expected.value === 'string' && value.includes(expected.value);
  return Array.isArray(value) && value.some((each) => isDeepStrictEqual(each, expected.value));
}

function namesOf(value) {
  const names = [];
  for (let at = value; at !== null && typeof at === 'object'; at = Object.getPrototypeOf(at)) {
    const { value: constructor } = Object.getOwnPropertyDescriptor(at, 'constructor') ?? {};
    if (typeof constructor === 'function') names.push(constructor.name);
  }
  return names;
}

/** What T0 does; null where words fail. */
function outcomeOf({ expression }, { isThrown, actual }) {
  if (!isThrown) {
    const text = literal(actual);
    return text === null ? null : { does: 'returns', text, message: null };
  }
  const name = errorName({ actual });
  if (name === null) return null;
  const message = String(actual.value.message ?? '').trim();
  const [, missing] = MISSING.exec(message) ?? [];
  const isAbsent =
    missing !== undefined && new RegExp(`(^|[^\\w$])${missing.replaceAll('$', '\\$')}\\(`).test(expression);
  const isPlain = message !== '' && message.length <= MAX_MESSAGE && !/[\n`]/.test(message) && !PLACE.test(message);
  return { does: isAbsent ? 'absent' : 'raises', text: name, message: isPlain ? message : null };
}

/** A value as it is written in a program; null when it is too long, or only its own class can say. */
function literal({ value, isOpaque }) {
  if (isOpaque) return null;
  try {
    const text = written(value, 0);
    return text.length <= MAX_TEXT && !/[\n`]/.test(text) ? text : null;
  } catch (error) {
    if (error instanceof UnwritableError) return null;
    throw error;
  }
}

function written(value, depth) {
  if (depth > 6) throw new UnwritableError();
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (Object.is(value, -0)) return '-0';
  if (value === null || /^(undefined|number|boolean)$/.test(typeof value)) return String(value);
  if (typeof value !== 'object') throw new UnwritableError();
  const inner = (each) => written(each, depth + 1);
  const prototype = Object.getPrototypeOf(value);
  if (Array.isArray(value) && prototype === Array.prototype && Object.keys(value).length === value.length)
    return `[${value.map(inner).join(', ')}]`;
  if (prototype === Object.prototype || prototype === null) {
    if (Reflect.ownKeys(value).some((key) => typeof key === 'symbol')) throw new UnwritableError();
    const fields = Object.keys(value).map(
      (key) => `${TAG.test(key) ? key : JSON.stringify(key)}: ${inner(value[key])}`,
    );
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
  }
  if (prototype === Map.prototype) return `new Map([${[...value].map(inner).join(', ')}])`;
  if (prototype === Set.prototype) return `new Set([${[...value].map(inner).join(', ')}])`;
  if (prototype === RegExp.prototype) return String(value);
  if (prototype === Date.prototype && !Number.isNaN(value.getTime())) return `new Date("${value.toISOString()}")`;
  throw new UnwritableError();
}
