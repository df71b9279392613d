import { isDeepStrictEqual, types } from 'node:util';

/** What chai says of a chain of `[word, arguments or null]` on a value. */
export function compareChai(kind, actual, links) {
  const flags = new Set();
  let subject = actual;
  let holds = true;
  for (const [word, args] of links) {
    if (FLAGS.has(word)) flags.add(word);
    if (WORDS.has(word)) continue;
    const state = { subject, flags, kind, args: args ?? [] };
    const pass = check(word, args !== null, state);
    if (pass === null) continue;
    if (pass === flags.has('not')) holds = false;
    if (word === 'property' && subject !== null && subject !== undefined) subject = subject[args[0]];
  }
  return holds;
}

const FLAGS = new Set([
  'not',
  'deep',
  'any',
  'all',
  'own',
  'nested',
  'ordered',
  'include',
  'includes',
  'contain',
  'contains',
  'length',
]);
const WORDS = new Set(
  'to be been is that which and has have with at of same but does still also not deep nested own ordered any all'.split(
    ' ',
  ),
);
const THROWS = /^(throw|throws|Throw)$/;
const LENGTHS = /^(above|gt|greaterThan|below|lt|lessThan|least|gte|most|lte|within|equal)$/;

/** Null: a word that only changes what comes after it. */
function check(word, isCall, state) {
  const { subject, flags, args } = state;
  if (THROWS.test(word)) return throwsAs(state);
  if (isCall) {
    const name = ALIASES[word] ?? word;
    if (flags.has('length') && LENGTHS.test(name)) return CALLS[name]({ ...state, subject: sizeOf(subject) });
    if (!Object.hasOwn(CALLS, name)) throw new Error(`nobody knows ${word}`);
    return CALLS[name]({ ...state, args });
  }
  if (/^(a|an|include|includes|contain|contains|length)$/.test(word)) return null;
  const [name, type] = word.split(' ');
  if (type !== undefined) return typeOf(subject) === type;
  if (!Object.hasOwn(PROPERTIES, name)) throw new Error(`nobody knows ${word}`);
  return PROPERTIES[name](subject);
}

const PROPERTIES = {
  true: (value) => value === true,
  false: (value) => value === false,
  null: (value) => value === null,
  undefined: (value) => value === undefined,
  ok: Boolean,
  NaN: (value) => Number.isNaN(value),
  exist: (value) => value !== null && value !== undefined,
  empty: (value) =>
    (typeof value === 'string' || Array.isArray(value) ? value.length : (value.size ?? Object.keys(value).length)) ===
    0,
};

const ALIASES = {
  equals: 'equal',
  eq: 'equal',
  eqls: 'eql',
  an: 'a',
  includes: 'include',
  contain: 'include',
  contains: 'include',
  matches: 'match',
  length: 'lengthOf',
  gt: 'above',
  greaterThan: 'above',
  lt: 'below',
  lessThan: 'below',
  gte: 'least',
  lte: 'most',
  approximately: 'closeTo',
  instanceOf: 'instanceof',
  key: 'keys',
};

const CALLS = {
  // eslint-disable-next-line eqeqeq -- as chai's `assert.equal` does
  looseEqual: ({ subject, args }) => subject == args[0],
  equal: ({ subject, flags, args }) => (flags.has('deep') ? same(subject, args[0]) : subject === args[0]),
  eql: ({ subject, args }) => same(subject, args[0]),
  a: ({ subject, args }) => typeOf(subject) === String(args[0]).toLowerCase(),
  lengthOf: ({ subject, args }) => sizeOf(subject) === args[0],
  match: ({ subject, args }) => args[0].exec(subject) !== null,
  string: ({ subject, args }) => subject.includes(args[0]),
  above: ({ subject, args }) => subject > args[0],
  below: ({ subject, args }) => subject < args[0],
  least: ({ subject, args }) => subject >= args[0],
  most: ({ subject, args }) => subject <= args[0],
  within: ({ subject, args }) => subject >= args[0] && subject <= args[1],
  closeTo: ({ subject, args }) => Math.abs(subject - args[0]) <= args[1],
  instanceof: ({ subject, args }) => subject instanceof args[0],
  oneOf: ({ subject, flags, args }) =>
    args[0].some((each) => (flags.has('deep') ? same(subject, each) : subject === each)),
  include: includes,
  property: hasProperty,
  keys: hasKeys,
  members: hasMembers,
};

function typeOf(value) {
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  if (types.isNativeError(value)) return 'error';
  return Object.prototype.toString.call(value).slice(8, -1).toLowerCase();
}

/** As deep-eql: prototypes do not count, `-0` and `0` differ, `NaN` equals itself. */
function same(one, other) {
  if (isDeepStrictEqual(one, other)) return true;
  return isDeepStrictEqual(withoutClass(one), withoutClass(other));
}

function withoutClass(value, depth = 0) {
  if (value === null || typeof value !== 'object' || depth > 60) return value;
  if (Array.isArray(value)) return value.map((each) => withoutClass(each, depth + 1));
  if (Object.prototype.toString.call(value) !== '[object Object]') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutClass(each, depth + 1)]));
}

const sizeOf = (value) => value.length ?? value.size;

function includes({ subject, flags, args: [wanted] }) {
  const is = flags.has('deep') ? same : (one, other) => one === other || (Number.isNaN(one) && Number.isNaN(other));
  if (typeof subject === 'string') return subject.includes(wanted);
  if (Array.isArray(subject) || subject instanceof Set) return [...subject].some((each) => is(each, wanted));
  if (subject instanceof Map) return [...subject.values()].some((each) => is(each, wanted));
  return Object.keys(wanted).every((key) => is(subject[key], wanted[key]));
}

function hasProperty({ subject, flags, args }) {
  const [name] = args;
  const path = flags.has('nested')
    ? String(name)
        .split(/[.[\]]+/)
        .filter((each) => each !== '')
    : [name];
  let value = subject;
  for (const step of path) {
    if (value === null || value === undefined) return false;
    const has = flags.has('own') ? Object.hasOwn(value, step) : step in new Object(value);
    if (!has) return false;
    value = value[step];
  }
  if (args.length < 2) return true;
  return flags.has('deep') ? same(value, args[1]) : value === args[1];
}

function hasKeys({ subject, flags, args }) {
  const wanted = args.flatMap((each) =>
    Array.isArray(each) ? each : typeof each === 'object' ? Object.keys(each) : [each],
  );
  const keys = subject instanceof Map || subject instanceof Set ? [...subject.keys()] : Object.keys(subject);
  const isThere = (key) => keys.some((each) => same(each, key));
  if (flags.has('any')) return wanted.some(isThere);
  const isContained = ['include', 'includes', 'contain', 'contains'].some((flag) => flags.has(flag));
  return wanted.every(isThere) && (isContained || wanted.length === keys.length);
}

function hasMembers({ subject, flags, args: [wanted] }) {
  const is = flags.has('deep') ? same : Object.is;
  const isContained = ['include', 'includes', 'contain', 'contains'].some((flag) => flags.has(flag));
  if (!isContained && subject.length !== wanted.length) return false;
  if (flags.has('ordered')) return wanted.every((each, index) => is(subject[index], each));
  const rest = [...subject];
  return wanted.every((each) => {
    const at = rest.findIndex((other) => is(other, each));
    if (at < 0) return false;
    rest.splice(at, 1);
    return true;
  });
}

function throwsAs({ subject, kind, args, flags }) {
  const wasThrown = kind === 'thrown' || kind === 'rejected';
  if (!wasThrown || args.length === 0 || flags.has('not')) return wasThrown;
  const [first, second] = args;
  const isClass = typeof first === 'function';
  if (isClass && !(subject instanceof first)) return false;
  if (first instanceof Error) return subject === first;
  const text = isClass ? second : first;
  if (text === undefined || text === null) return true;
  const message = typeof subject === 'string' ? subject : String(subject?.message ?? '');
  return text instanceof RegExp ? text.test(message) : message.includes(text);
}
