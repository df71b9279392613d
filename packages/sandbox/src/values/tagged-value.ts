import { makeCodec, type CodecLimits } from './make-codec.ts';

/**
 * A value of any of our languages as JSON. JSON stands for itself; all else is an object with `$type`:
 *
 * | `$type` | further members | what it is |
 * |---|---|---|
 * | `undefined`, `hole` | | nothing; a place of an array without even that |
 * | `number` | `value`: `NaN`, `Infinity`, `-Infinity`, `-0` | numbers that JSON lacks |
 * | `bigint` | `value`: decimal | a BigInt; in other languages an integer beyond 2^53 |
 * | `date` | `value`: ISO 8601, or null | a Date |
 * | `map` | `entries`: pairs | a Map; a dictionary whose keys are not all strings |
 * | `set`, `frozenset`, `tuple` | `values` | |
 * | `bytes` | `value`: base64 | Uint8Array, bytes |
 * | `typed-array` | `name`, `values` | the other typed arrays |
 * | `regexp` | `source`, `flags` | |
 * | `error` | `name`, `message` | an error that was returned, not thrown |
 * | `object` | `entries`: pairs | an object with a key `$type` |
 * | `cycle` | `up` | the container so many levels above |
 * | `complex`, `decimal`, `fraction`, `datetime`, `time`, `timedelta`, `uuid`, `path`, `range` | `value`: text | of
 * Python |
 * | `instance` | `class`, `base`, `entries` | of a class that the submission defines; equals nothing else |
 * | `symbol`, `function`, `accessor`, `exotic` | | not data; equals nothing, itself included |
 */
export type Tagged = null | boolean | number | string | Tagged[] | { [key: string]: Tagged };

/** Limits of one value that comes out of a sandbox. */
export const VALUE_LIMITS: CodecLimits = { depth: 100, nodes: 200_000, characters: 4 * 1024 * 1024 };

const TEXT_TYPES = [
  'complex',
  'decimal',
  'fraction',
  'datetime',
  'time',
  'timedelta',
  'uuid',
  'path',
  'range',
] as const;
/** Every name that `$type` may have. A value with any other is malformed. */
export const TAGS: ReadonlySet<string> = new Set([
  'undefined',
  'hole',
  'number',
  'bigint',
  'date',
  'map',
  'set',
  'frozenset',
  'tuple',
  'bytes',
  'typed-array',
  'regexp',
  'error',
  'object',
  'cycle',
  'instance',
  'symbol',
  'function',
  'accessor',
  'exotic',
  ...TEXT_TYPES,
]);

const codec = makeCodec();

/**
 * A value of the host, in which what is already tagged stays as it is, so that documents and live values can be mixed.
 * Throws RangeError on what is too large, and TypeError on tags that are malformed.
 */
export function toTagged(value: unknown): Tagged {
  try {
    return parseTagged(codec.encode(value, VALUE_LIMITS), { plainTags: true });
  } catch (error) {
    const refusal = codec.refusal(error);
    throw refusal === null ? error : new RangeError(refusal, { cause: error });
  }
}

/** Makes a live value: a Map for a `map`, and so on. Types that JavaScript lacks stay objects with `$type`. */
export function fromTagged(tagged: Tagged): unknown {
  return codec.decode(JSON.stringify(tagged));
}

/**
 * Reads the text that came out of a sandbox. Throws TypeError on what is no tagged value, RangeError beyond {@link
 * VALUE_LIMITS}.
 */
export function parseTagged(text: string, { plainTags = false } = {}): Tagged {
  if (text.length > 2 * VALUE_LIMITS.characters)
    throw new RangeError(`it is longer than ${VALUE_LIMITS.characters} characters`);
  let nodes = 0;
  const check = (value: unknown, depth: number): Tagged => {
    nodes += 1;
    // Entries of maps and the like add a level each.
    if (nodes > 3 * VALUE_LIMITS.nodes || depth > 3 * VALUE_LIMITS.depth) throw new RangeError('it is too large');
    if (value === null || typeof value !== 'object') return value as Tagged;
    if (Array.isArray(value)) return value.map((item) => check(item, depth + 1));
    const members = Object.entries(value).map(([key, item]): [string, Tagged] => [key, check(item, depth + 1)]);
    const tagged = Object.fromEntries(members);
    if (Object.hasOwn(tagged, '$type')) checkTag(tagged);
    return plainTags ? unwrapTag(tagged) : tagged;
  };
  return check(JSON.parse(text), 0);
}

/**
 * `{$type: 'object', entries}` that was a tag of the document itself, written out by the codec as an object with a key
 * `$type`.
 */
function unwrapTag(tagged: { [key: string]: Tagged }): Tagged {
  if (tagged['$type'] !== 'object' || !Array.isArray(tagged['entries'])) return tagged;
  const inner = Object.fromEntries(tagged['entries'] as [string, Tagged][]);
  if (typeof inner['$type'] !== 'string' || !TAGS.has(inner['$type'])) return tagged;
  checkTag(inner);
  return inner['$type'] === 'object' ? plainest(inner) : inner;
}

/** An `object` without a key `$type` is written as what it is. */
function plainest(tag: { [key: string]: Tagged }): Tagged {
  const members = Object.fromEntries(tag['entries'] as [string, Tagged][]);
  return Object.hasOwn(members, '$type') ? tag : members;
}

const isText = (value: Tagged | undefined): boolean => typeof value === 'string';
const matches = (value: Tagged | undefined, pattern: RegExp): boolean =>
  typeof value === 'string' && pattern.test(value);
const isList = (value: Tagged | undefined): boolean => Array.isArray(value);
const isPairs = (value: Tagged | undefined): boolean =>
  Array.isArray(value) && value.every((item) => Array.isArray(item) && item.length === 2);
const isNamedPairs = (value: Tagged | undefined): boolean =>
  isPairs(value) && (value as Tagged[][]).every((pair) => typeof pair[0] === 'string');

const SHAPES: Record<string, (tag: { [key: string]: Tagged }) => boolean> = {
  number: (tag) => matches(tag['value'], /^(?:NaN|-?Infinity|-0)$/),
  bigint: (tag) => matches(tag['value'], /^-?\d{1,100000}$/),
  date: (tag) => tag['value'] === null || isText(tag['value']),
  map: (tag) => isPairs(tag['entries']),
  object: (tag) => isNamedPairs(tag['entries']),
  instance: (tag) => isNamedPairs(tag['entries']) && isText(tag['class']),
  set: (tag) => isList(tag['values']),
  frozenset: (tag) => isList(tag['values']),
  tuple: (tag) => isList(tag['values']),
  'typed-array': (tag) => isText(tag['name']) && isList(tag['values']),
  bytes: (tag) => matches(tag['value'], /^[A-Za-z0-9+/]*={0,2}$/),
  regexp: (tag) => isText(tag['source']) && isText(tag['flags']),
  error: (tag) => isText(tag['name']) && isText(tag['message']),
  cycle: (tag) =>
    Number.isSafeInteger(tag['up']) && Number(tag['up']) > 0 && Number(tag['up']) <= 3 * VALUE_LIMITS.depth,
};
for (const name of TEXT_TYPES) SHAPES[name] = (tag) => isText(tag['value']);

function checkTag(tag: { [key: string]: Tagged }): void {
  const type = tag['$type'];
  if (typeof type !== 'string' || !TAGS.has(type))
    throw new TypeError(`there is no $type ${JSON.stringify(type)?.slice(0, 100)}`);
  if (SHAPES[type]?.(tag) === false) throw new TypeError(`the members of $type ${type} are wrong`);
}
