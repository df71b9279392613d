'use strict';
/*
 * Loaded by instrumented sources and by recorders, in a sandbox: writes down values of built-in types, nothing else. Test
 * runners give tests a world of their own, so types are told by what they are made of and not by identity.
 */
const { appendFileSync, statSync } = require('node:fs');

const PATH = '/tmp/assay-recorded.jsonl';
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_ITEMS = 64;
const MOST_TEXT = 2000;
const NO_LITERAL = Symbol('no literal');
const ERRORS = ['TypeError', 'RangeError', 'SyntaxError', 'URIError', 'ReferenceError', 'EvalError', 'Error'];

const give = () => {
  throw NO_LITERAL;
};
const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);

/** Older Node has no such method. */
function isWellFormed(text) {
  try {
    return typeof encodeURIComponent(text) === 'string';
  } catch {
    return false;
  }
}

function encode(value, depth = 0) {
  if (depth > 8) return give();
  if (value === null) return { kind: 'none' };
  if (value === undefined) return { kind: 'undefined' };
  if (typeof value === 'boolean') return { kind: 'bool', text: String(value) };
  if (typeof value === 'number') return encodeNumber(value);
  if (typeof value === 'string')
    return value.length <= MOST_TEXT && isWellFormed(value) ? { kind: 'str', text: value } : give();
  if (typeof value === 'bigint') return String(value).length < 60 ? { kind: 'bigint', text: String(value) } : give();
  if (typeof value !== 'object') return give();
  const inside = (all) => (all.length <= 2 * MOST_ITEMS ? all.map((each) => encode(each, depth + 1)) : give());
  if (Array.isArray(value))
    return Object.keys(value).length === value.length ? { kind: 'list', items: inside([...value]) } : give();
  const tag = tagOf(value);
  if (tag === 'RegExp') return { kind: 'regexp', items: inside([value.source, value.flags]) };
  if (tag === 'Set') return { kind: 'set', items: inside([...value]) };
  if (tag === 'Map') return { kind: 'map', items: inside([...value].flat()) };
  return encodeObject(value, inside);
}

function encodeNumber(value) {
  const isInteger = Number.isSafeInteger(value) && !Object.is(value, -0);
  return { kind: isInteger ? 'int' : 'float', text: Object.is(value, -0) ? '-0' : String(value) };
}

function encodeObject(value, inside) {
  const prototype = Object.getPrototypeOf(value);
  const isPlain =
    prototype !== null && Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'hasOwnProperty');
  if ((prototype !== null && !isPlain) || Object.getOwnPropertySymbols(value).length > 0) return give();
  const properties = Object.entries(Object.getOwnPropertyDescriptors(value));
  if (properties.some(([, { get, enumerable }]) => get !== undefined || !enumerable)) return give();
  const pairs = properties.flatMap(([key, property]) => [key, property.value]);
  return { kind: prototype === null ? 'bare' : 'dict', items: inside(pairs) };
}

function write(line) {
  try {
    if (statSync(PATH).size > MOST_BYTES) return;
  } catch {
    // It is the first line.
  }
  appendFileSync(PATH, `${JSON.stringify(line)}\n`);
}

/** Writes down what a function was called with. */
exports.note = (given) => {
  try {
    write({ seen: { positional: [...given].map((each) => encode(each)), named: [] } });
  } catch {
    // A value that cannot be written down.
  }
};

/** Makes a call and writes down what it does. */
exports.record = (index, call) => write({ call: index, result: outcome(call) });

function outcome(call) {
  try {
    const value = call();
    if (typeof value?.next === 'function' && typeof value[Symbol.iterator] === 'function') {
      const items = [];
      for (const each of value) if (items.push(each) > MOST_ITEMS) return { does: 'other' };
      return { does: 'yields', value: encode(items) };
    }
    return { does: 'returns', value: encode(value) };
  } catch (error) {
    const name = error === NO_LITERAL ? undefined : error?.constructor?.name;
    return ERRORS.includes(name) ? { does: 'raises', name } : { does: 'other' };
  }
}
