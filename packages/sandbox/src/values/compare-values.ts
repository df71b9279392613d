import type { Tagged } from './tagged-value.ts';

export interface Comparison {
  /** A number is the largest absolute difference. With both, either is enough. Only for finite numbers. */
  numberTolerance?: number | { abs?: number | undefined; rel?: number | undefined } | undefined;
  /** The order of every array is free. */
  unordered?: boolean | undefined;
}

/** Types that are no data: nothing is known to be equal to them. */
const NEVER_EQUAL = new Set(['symbol', 'function', 'accessor', 'exotic', 'instance']);
/** A search for a matching of longer unordered arrays with a tolerance would take too long. */
const LONGEST_MATCHING = 2000;
/**
 * Comparisons of single values. A value without tricks needs one for each value in it; matchings inside matchings need
 * any number.
 */
const MOST_STEPS = 5_000_000;

interface Rules extends Comparison {
  steps: { left: number };
}

/** The comparison takes too long to be ended. */
class TooMuch extends Error {}

/**
 * The first difference between what came and what was expected, as `path: what`, or null when they are equal.
 *
 * Structure and types count: `1` is not `"1"`, `true` not `1`, null not undefined, a missing member not an undefined
 * one, a Map no object. The order of keys, of map entries and of set members does not. NaN equals NaN. -0 equals 0,
 * unless -0 is expected. Strings are compared as they are. A tuple equals an array, as JSON has no other name for it,
 * unless a tuple is expected. Functions, symbols, accessors and instances of the submission's own classes equal
 * nothing.
 */
export function firstDifference(got: Tagged, expected: Tagged, comparison: Comparison = {}): string | null {
  try {
    return compare(got, expected, { ...comparison, steps: { left: MOST_STEPS } }, '');
  } catch (error) {
    if (error instanceof TooMuch) return 'the value: without order and with a tolerance this is too much to compare';
    throw error;
  }
}

function compare(got: Tagged, expected: Tagged, rules: Rules, path: string): string | null {
  rules.steps.left -= 1;
  if (rules.steps.left < 0) throw new TooMuch();
  if (typeof got === 'number' || typeof expected === 'number') return compareNumbers(got, expected, rules, path);
  if (got === null || expected === null || typeof got !== 'object' || typeof expected !== 'object')
    return got === expected ? null : differ(got, expected, path);
  const [gotType, expectedType] = [tagOf(got), tagOf(expected)];
  const elements = gotType === 'tuple' && expectedType === null && Array.isArray(expected) ? valuesOf(got) : got;
  if (Array.isArray(elements) && Array.isArray(expected)) return compareArrays(elements, expected, rules, path);
  if (Array.isArray(elements) || Array.isArray(expected) || gotType !== expectedType)
    return differ(got, expected, path);
  if (gotType === null) return compareMembers(Object.entries(elements), Object.entries(expected), rules, path);
  return compareTagged(elements, expected, rules, path);
}

function compareNumbers(got: Tagged, expected: Tagged, rules: Rules, path: string): string | null {
  const [a, b] = [finite(got), finite(expected)];
  if (a === null || b === null) return differ(got, expected, path);
  if (a === b && (!isNegativeZero(expected) || isNegativeZero(got))) return null;
  const { abs = undefined, rel = undefined } =
    typeof rules.numberTolerance === 'number' ? { abs: rules.numberTolerance } : (rules.numberTolerance ?? {});
  const distance = Math.abs(a - b);
  if ((abs !== undefined && distance <= abs) || (rel !== undefined && distance <= rel * Math.abs(b))) return null;
  return differ(got, expected, path);
}

/** A finite number, -0 included, or null. */
function finite(value: Tagged): number | null {
  if (typeof value === 'number') return value;
  return isNegativeZero(value) ? -0 : null;
}

function isNegativeZero(value: Tagged): boolean {
  return tagOf(value) === 'number' && (value as { value?: Tagged }).value === '-0';
}

function compareArrays(got: Tagged[], expected: Tagged[], rules: Rules, path: string): string | null {
  if (got.length !== expected.length) return `${at(path)}: expected ${expected.length} elements, got ${got.length}`;
  if (rules.unordered) return compareUnordered(got, expected, rules, path);
  for (let index = 0; index < expected.length; index += 1) {
    const difference = compare(got[index] ?? null, expected[index] ?? null, rules, `${path}[${index}]`);
    if (difference !== null) return difference;
  }
  return null;
}

function compareMembers(
  got: [string, Tagged][],
  expected: [string, Tagged][],
  rules: Rules,
  path: string,
): string | null {
  const found = new Map(got);
  for (const [key, value] of expected) {
    const there = found.get(key);
    if (there === undefined) return `${at(path)}: the key ${quote(key)} is missing`;
    const difference = compare(there, value, rules, path + step(key));
    if (difference !== null) return difference;
    found.delete(key);
  }
  const [further] = found.keys();
  return further === undefined ? null : `${at(path)}: there is a further key ${quote(further)}`;
}

type Tag = { [key: string]: Tagged };

/** Compares two values of the same tag. */
function compareTagged(got: Tag, expected: Tag, rules: Rules, path: string): string | null {
  const type = tagOf(expected) ?? '';
  switch (type) {
    case 'set':
    case 'frozenset':
      return compareUnordered(valuesOf(got), valuesOf(expected), rules, path);
    case 'tuple':
    case 'typed-array':
      return got['name'] === expected['name']
        ? compareArrays(valuesOf(got), valuesOf(expected), rules, path)
        : differ(got, expected, path);
    case 'map':
      return compareMaps(entriesOf(got), entriesOf(expected), rules, path);
    case 'object':
      return compareMembers(
        entriesOf(got) as [string, Tagged][],
        entriesOf(expected) as [string, Tagged][],
        rules,
        path,
      );
    case 'number':
    case 'bigint':
    case 'cycle':
    case 'regexp':
    case 'error':
    case 'date':
      return canonical(got, rules) === canonical(expected, rules) ? null : differ(got, expected, path);
    default:
      if (NEVER_EQUAL.has(type)) return `${at(path)}: ${describe(got)} is not data, and equals nothing`;
      return got['value'] === expected['value'] ? null : differ(got, expected, path);
  }
}

function compareMaps(got: Tagged[][], expected: Tagged[][], rules: Rules, path: string): string | null {
  const keyed = (entries: Tagged[][]): [string, Tagged][] =>
    entries.map(([key = null, value = null]) => [canonical(key, {}), value]);
  return compareMembers(keyed(got), keyed(expected), rules, path);
}

/** Compares as multisets: order does not matter, repetition does. */
function compareUnordered(got: Tagged[], expected: Tagged[], rules: Rules, path: string): string | null {
  if (got.length !== expected.length) return `${at(path)}: expected ${expected.length} elements, got ${got.length}`;
  if (rules.numberTolerance !== undefined) return matchAll(got, expected, rules, path);
  const left = new Map<string, number>();
  for (const item of expected) count(left, canonical(item, rules), 1);
  for (const item of got) {
    const key = canonical(item, rules);
    if ((left.get(key) ?? 0) === 0) return `${at(path)}: ${describe(item)} is not expected`;
    count(left, key, -1);
  }
  return null;
}

function count(counts: Map<string, number>, key: string, change: number): void {
  counts.set(key, (counts.get(key) ?? 0) + change);
}

/** Pairs each that came with another that is expected (augmenting paths), as nearness is not transitive. */
function matchAll(got: Tagged[], expected: Tagged[], rules: Rules, path: string): string | null {
  if (got.length > LONGEST_MATCHING)
    return `${at(path)}: more than ${LONGEST_MATCHING} elements cannot be compared without order and with a tolerance`;
  const takenBy = new Map<number, number>();
  const place = (index: number, seen: Set<number>): boolean => {
    for (let candidate = 0; candidate < expected.length; candidate += 1) {
      if (seen.has(candidate) || compare(got[index] ?? null, expected[candidate] ?? null, rules, path) !== null)
        continue;
      seen.add(candidate);
      const holder = takenBy.get(candidate);
      if (holder === undefined || place(holder, seen)) {
        takenBy.set(candidate, index);
        return true;
      }
    }
    return false;
  };
  for (let index = 0; index < got.length; index += 1) {
    if (!place(index, new Set())) return `${at(path)}: ${describe(got[index] ?? null)} is not expected`;
  }
  return null;
}

let unequal = 0;

/** Equal text for equal values, and for no others: keys sorted, and what has no order sorted too. -0 is 0. */
function canonical(value: Tagged, rules: Comparison): string {
  if (isNegativeZero(value)) return '0';
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => canonical(item, rules));
    return `[${(rules.unordered ? items.sort() : items).join(',')}]`;
  }
  const type = tagOf(value);
  if (type !== null && NEVER_EQUAL.has(type)) return `${type} ${(unequal += 1)}`;
  if (type === 'date') return `date ${dateOf(value)}`;
  if (type === 'tuple') return canonical(valuesOf(value), rules);
  if (type === 'set' || type === 'frozenset')
    return `${type}${canonical(valuesOf(value), { ...rules, unordered: true })}`;
  if (type === 'map' || type === 'object')
    return `${type}{${entriesOf(value)
      .map(([key = null, item = null]) => `${canonical(key, rules)}:${canonical(item, rules)}`)
      .sort()
      .join(',')}}`;
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item, rules)}`)
    .sort()
    .join(',')}}`;
}

/** However it is written; dates that are none are equal. */
function dateOf(date: Tagged): string {
  const { value } = date as Tag;
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? JSON.stringify(value ?? null) : String(time);
}

function tagOf(value: Tagged): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  const type = value['$type'];
  return typeof type === 'string' ? type : null;
}

function valuesOf(tag: Tagged): Tagged[] {
  const values = (tag as Tag)['values'];
  return Array.isArray(values) ? values : [];
}

function entriesOf(tag: Tag): Tagged[][] {
  return Array.isArray(tag['entries']) ? (tag['entries'] as Tagged[][]) : [];
}

function differ(got: Tagged, expected: Tagged, path: string): string {
  return `${at(path)}: expected ${describe(expected)}, got ${describe(got)}`;
}

const step = (key: string): string => (/^[\w$]{1,100}$/.test(key) ? `.${key}` : `[${quote(key)}]`);
const at = (path: string): string => (path === '' ? 'the value' : path.slice(0, 200));
const quote = (key: string): string => JSON.stringify(key.slice(0, 100));

/** Short text for a message; the value may be huge. */
export function describe(value: Tagged): string {
  const type = tagOf(value);
  if (type === 'undefined') return 'undefined';
  if (type === 'instance') return `an instance of ${nameOf((value as Tag)['class'])}`;
  const text = (value as Tag | null)?.['value'];
  if (type === 'number' && typeof text === 'string') return text;
  if (type === 'bigint' && typeof text === 'string') return `${cut(text)}n`;
  return cut(JSON.stringify(value));
}

function nameOf(name: Tagged | undefined): string {
  if (typeof name !== 'string' || name === '') return 'a class';
  return /^[\w$]{1,100}$/.test(name) ? name : quote(name);
}

function cut(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}
