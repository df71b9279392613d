'use strict';
/*
 * Values as JSON text that `split/decode-value.mjs` turns into data again. Everything used is bound when this file is
 * loaded. Code of the value may run (a getter, a trap of a proxy): it can lie, but not make the test fail or stop here.
 */
const { types } = require('node:util');
const { stringify } = JSON;
const { ownKeys, getOwnPropertyDescriptor, getPrototypeOf, apply } = Reflect;
const { isArray } = Array;
const { is } = Object;
const { isFinite } = Number;
const { keyFor } = Symbol;
const { from } = Buffer;
const BufferClass = Buffer;
const UrlClass = URL;
const text = String;
const method = (prototype, name) => {
  const { value, get } = getOwnPropertyDescriptor(prototype, name);
  const bound = value ?? get;
  return (target, ...rest) => apply(bound, target, rest);
};
const timeOf = method(Date.prototype, 'getTime');
const sourceOf = method(RegExp.prototype, 'source');
const flagsOf = method(RegExp.prototype, 'flags');
const eachOfMap = method(Map.prototype, 'forEach');
const eachOfSet = method(Set.prototype, 'forEach');
const descriptionOf = method(Symbol.prototype, 'description');
const hrefOf = method(UrlClass.prototype, 'href');
const bigintText = method(BigInt.prototype, 'toString');
const primitiveOf = [Number, String, Boolean, BigInt, Symbol].map(({ prototype }) => method(prototype, 'valueOf'));

const MAX_DEPTH = 25;
const MAX_NODES = 20_000;
const MAX_TEXT = 1024 * 1024;
const MAX_CHAIN = 20;

/** Returns the JSON text of a value. Never throws. */
function encodeValue(value) {
  const state = { nodes: 0, length: 0, ancestors: [] };
  try {
    return stringify(encode(value, state));
  } catch {
    return '["x","error"]';
  }
}

function encode(value, state) {
  state.nodes += 1;
  if (state.nodes > MAX_NODES || state.length > 3 * MAX_TEXT) return ['x', 'size'];
  switch (typeof value) {
    case 'string':
      return encodeText(value, state);
    case 'number':
      return isFinite(value) && !is(value, -0) ? value : ['n', is(value, -0) ? '-0' : text(value)];
    case 'boolean':
      return value;
    case 'undefined':
      return ['u'];
    case 'bigint':
      return encodeBigint(value);
    case 'symbol':
      return ['y', text(descriptionOf(value) ?? ''), keyFor(value) === undefined ? 0 : 1];
    case 'function':
      return ['f', nameOf(value)];
    default:
      return value === null ? null : encodeObject(value, state);
  }
}

function encodeText(value, state) {
  state.length += value.length;
  return value.length > MAX_TEXT ? ['x', 'text'] : value;
}

function encodeBigint(value) {
  const hex = bigintText(value, 16);
  return hex.length > MAX_TEXT ? ['x', 'bigint'] : ['i', hex];
}

function encodeObject(value, state) {
  const above = state.ancestors.indexOf(value);
  if (above >= 0) return ['c', above];
  if (state.ancestors.length >= MAX_DEPTH) return ['x', 'depth'];
  state.ancestors.push(value);
  try {
    return encodeKind(value, state);
  } catch {
    return ['x', 'error'];
  } finally {
    state.ancestors.pop();
  }
}

function encodeKind(value, state) {
  if (isArray(value)) return encodeArray(value, state);
  if (types.isNativeError(value)) return encodeError(value, state);
  const own = () => ownFields(value, state);
  if (types.isDate(value)) return ['d', encode(timeOf(value), state), own()];
  if (types.isRegExp(value)) return ['r', sourceOf(value), flagsOf(value), own()];
  if (types.isMap(value)) {
    const pairs = [];
    eachOfMap(value, (item, key) => state.nodes <= MAX_NODES && pairs.push([encode(key, state), encode(item, state)]));
    return ['m', pairs, own(), chainOf(value)];
  }
  if (types.isSet(value)) {
    const items = [];
    eachOfSet(value, (item) => state.nodes <= MAX_NODES && items.push(encode(item, state)));
    return ['s', items, own(), chainOf(value)];
  }
  if (types.isTypedArray(value) || types.isAnyArrayBuffer(value) || types.isDataView(value)) return encodeBytes(value);
  if (types.isBoxedPrimitive(value)) return encodeBoxed(value, state);
  if (types.isPromise(value) || types.isWeakMap(value) || types.isWeakSet(value) || types.isGeneratorObject(value))
    return ['k', chainOf(value)];
  const href = tryHref(value);
  if (href !== null) return ['l', encodeText(href, state)];
  const chain = chainOf(value);
  // Made by hand from `Error.prototype`, or of another realm that hides its mark.
  if (chain.includes('Error')) return encodeError(value, state);
  return ['o', chain.length === 1 && chain[0] === 'Object' ? 0 : chain, own()];
}

function encodeArray(value, state) {
  const { length } = value;
  if (length > MAX_NODES) return ['x', 'size'];
  const items = [];
  for (let index = 0; index < length; index += 1) {
    const descriptor = getOwnPropertyDescriptor(value, index);
    items.push(
      descriptor === undefined ? ['h'] : encode('value' in descriptor ? descriptor.value : value[index], state),
    );
  }
  const rest = ownFields(value, state, length);
  return rest.length === 0 && chainOf(value)[0] === 'Array' ? ['a', items] : ['a', items, rest, chainOf(value)];
}

function encodeError(value, state) {
  const read = (name) => {
    const found = value[name];
    return typeof found === 'string' ? encodeText(found, state) : '';
  };
  const extras = [];
  for (const name of ['cause', 'errors']) {
    const descriptor = getOwnPropertyDescriptor(value, name);
    if (descriptor !== undefined && !descriptor.enumerable) extras.push([name, encode(value[name], state)]);
  }
  return ['e', chainOf(value), read('name'), read('message'), ownFields(value, state), extras];
}

function encodeBytes(value) {
  const [kind] = chainOf(value).filter((name) => /^(Buffer|.*Array|.*ArrayBuffer|DataView)$/.test(name));
  const view = types.isAnyArrayBuffer(value) ? from(value) : from(value.buffer, value.byteOffset, value.byteLength);
  if (view.length > MAX_TEXT / 2) return ['x', 'bytes'];
  return ['t', BufferClass.isBuffer(value) ? 'Buffer' : text(kind), view.toString('hex')];
}

function encodeBoxed(value, state) {
  for (const valueOf of primitiveOf) {
    try {
      return ['b', encode(valueOf(value), state)];
    } catch {
      // Of another kind.
    }
  }
  return ['x', 'error'];
}

/** Own enumerable fields, in order: names, or symbols by their description. */
function ownFields(value, state, indices = 0) {
  const fields = [];
  for (const key of ownKeys(value)) {
    if (state.nodes > MAX_NODES) break;
    if (indices > 0 && typeof key === 'string' && isIndex(key, indices)) continue;
    const descriptor = getOwnPropertyDescriptor(value, key);
    if (!descriptor?.enumerable) continue;
    const name = typeof key === 'symbol' ? encode(key, state) : encodeText(key, state);
    let field;
    try {
      field = encode('value' in descriptor ? descriptor.value : value[key], state);
    } catch {
      field = ['x', 'error'];
    }
    fields.push([name, field]);
  }
  return fields;
}

function isIndex(key, length) {
  const number = Number(key);
  return number >= 0 && number < length && text(number) === key;
}

function tryHref(value) {
  try {
    return hrefOf(value);
  } catch {
    return null;
  }
}

/** Names of the classes that a value is an instance of, its own first. `null` at the end: no `Object` is at the end. */
function chainOf(value) {
  const names = [];
  for (let prototype = getPrototypeOf(value); names.length < MAX_CHAIN; prototype = getPrototypeOf(prototype)) {
    if (prototype === null) {
      if (names.at(-1) !== 'Object') names.push(null);
      break;
    }
    const constructor = getOwnPropertyDescriptor(prototype, 'constructor')?.value;
    names.push(typeof constructor === 'function' ? nameOf(constructor) : '');
  }
  return names;
}

function nameOf(value) {
  const name = getOwnPropertyDescriptor(value, 'name')?.value;
  return typeof name === 'string' ? name.slice(0, 500) : '';
}

module.exports = { encodeValue };
