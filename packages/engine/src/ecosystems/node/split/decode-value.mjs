/*
 * What the observer wrote as values again. Hostile: data only, fields by definition and never by assignment, no name
 * looked up but those of a fixed list.
 */
const MAX_DEPTH = 60;
const MAX_NODES = 50_000;
const BUILT_IN = { Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError, AggregateError };
const BYTES = {
  Buffer,
  Uint8Array,
  Int8Array,
  Uint8ClampedArray,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  DataView,
  ArrayBuffer,
};

const REAL = {
  __proto__: null,
  ...Object.fromEntries(
    [...Object.values(BUILT_IN), Object, Array, Map, Set, Date, RegExp, Promise, WeakMap, WeakSet, URL].map((each) => [
      each.name,
      each.prototype,
    ]),
  ),
};
const NUMBERS = new Map([
  ['-0', -0],
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);
const DECODERS = new Map();

/** What is no encoded value. */
export class MalformedError extends Error {}

/** Decodes values of one process of evaluation: classes of the same name are the same. */
export class Decoder {
  #prototypes = new Map();
  #symbols = new Map();
  #nodes = 0;
  #ancestors = [];
  /** Since the last call of `decode`: something was not observed as it is, or not at all. */
  isOpaque = false;
  isCapped = false;

  /** Throws {@link MalformedError}. */
  decode(encoded) {
    this.#nodes = 0;
    this.#ancestors = [];
    return this.#value(encoded);
  }

  reset() {
    this.isOpaque = false;
    this.isCapped = false;
  }

  #value(encoded) {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES || this.#ancestors.length > MAX_DEPTH) throw new MalformedError('too large a value');
    if (encoded === null || typeof encoded === 'string' || typeof encoded === 'boolean' || typeof encoded === 'number')
      return encoded;
    if (!Array.isArray(encoded) || typeof encoded[0] !== 'string') throw new MalformedError('no value');
    const [tag, first, second] = encoded;
    const decode = DECODERS.get(tag);
    if (decode === undefined) throw new MalformedError(`a value of kind ${tag.slice(0, 20)}`);
    return decode.call(this, first, second, encoded);
  }

  static {
    // Methods of the class, to reach what is private.
    DECODERS.set('u', () => undefined);
    DECODERS.set('h', () => undefined);
    DECODERS.set('n', (name) => (NUMBERS.has(name) ? NUMBERS.get(name) : malformed()));
    DECODERS.set('i', (hex) => decodeBigint(hex));
    DECODERS.set('y', function symbol(name, isShared) {
      return this.#symbol(text(name), isShared === 1);
    });
    DECODERS.set('f', function opaqueFunction(name) {
      this.isOpaque = true;
      return Object.defineProperty(() => undefined, 'name', { value: text(name) });
    });
    DECODERS.set('k', function opaque(chain) {
      this.isOpaque = true;
      return Object.create(this.#prototypeOf(names(chain)));
    });
    DECODERS.set('x', function capped() {
      this.isCapped = true;
      return Object.create(null);
    });
    DECODERS.set('c', function cycle(index) {
      if (!Number.isInteger(index) || index < 0 || index >= this.#ancestors.length) malformed();
      return this.#ancestors[index];
    });
    DECODERS.set('a', function array(items, own, [, , , chain]) {
      const value = [];
      return this.#within(value, () => {
        value.length = list(items).length;
        for (const [index, item] of items.entries())
          if (!(Array.isArray(item) && item[0] === 'h')) value[index] = this.#value(item);
        if (own !== undefined) this.#fill(value, own);
        if (chain !== undefined) Object.setPrototypeOf(value, this.#prototypeOf(names(chain)));
      });
    });
    DECODERS.set('o', function object(chain, own) {
      const value = chain === 0 ? {} : Object.create(this.#prototypeOf(names(chain)));
      return this.#within(value, () => this.#fill(value, own));
    });
    DECODERS.set('d', function date(time, own) {
      const value = new Date(this.#value(time));
      return this.#within(value, () => this.#fill(value, own));
    });
    DECODERS.set('r', function pattern(source, flags, [, , , own]) {
      const value = new RegExp(text(source), text(flags));
      return this.#within(value, () => this.#fill(value, own));
    });
    DECODERS.set('m', function map(pairs, own, [, , , chain]) {
      const value = new Map();
      return this.#within(value, () => {
        for (const pair of list(pairs)) value.set(this.#value(list(pair)[0]), this.#value(pair[1]));
        this.#finish(value, own, chain);
      });
    });
    DECODERS.set('s', function set(items, own, [, , , chain]) {
      const value = new Set();
      return this.#within(value, () => {
        for (const item of list(items)) value.add(this.#value(item));
        this.#finish(value, own, chain);
      });
    });
    DECODERS.set('t', (kind, hex) => decodeBytes(text(kind), text(hex)));
    DECODERS.set('b', function boxed(inner) {
      return new Object(this.#value(inner));
    });
    DECODERS.set('l', (href) => new URL(text(href)));
    DECODERS.set('e', function error(chain, name, encoded) {
      return this.#error(names(chain), text(name), encoded);
    });
  }

  #within(value, fill) {
    this.#ancestors.push(value);
    fill();
    this.#ancestors.pop();
    return value;
  }

  #finish(value, own, chain) {
    this.#fill(value, own);
    const known = names(chain);
    if (known[0] !== 'Map' && known[0] !== 'Set') Object.setPrototypeOf(value, this.#prototypeOf(known));
  }

  #fill(value, fields) {
    for (const field of list(fields)) {
      const [key] = list(field);
      const name = typeof key === 'string' ? key : this.#value(key);
      if (typeof name !== 'string' && typeof name !== 'symbol') malformed();
      define(value, name, this.#value(field[1]), true);
    }
  }

  #error(chain, name, [, , , message, own, extras]) {
    const base = chain.find((each) => Object.hasOwn(BUILT_IN, each ?? '')) ?? 'Error';
    const value = base === 'AggregateError' ? new AggregateError([], text(message)) : new BUILT_IN[base](text(message));
    Object.setPrototypeOf(value, this.#prototypeOf(chain));
    if (value.name !== name) define(value, 'name', name, false);
    define(value, 'stack', '', false);
    return this.#within(value, () => {
      for (const extra of list(extras)) define(value, text(list(extra)[0]), this.#value(extra[1]), false);
      this.#fill(value, own);
    });
  }

  #symbol(name, isShared) {
    if (isShared) return Symbol.for(name);
    if (!this.#symbols.has(name)) this.#symbols.set(name, Symbol(name));
    return this.#symbols.get(name);
  }

  /** Stands for the prototype of a class that is known by its name and those of its ancestors. */
  #prototypeOf(chain) {
    if (chain.length === 0 || chain[0] === null) return null;
    const [name, ...rest] = chain;
    const known = REAL[name];
    if (known !== undefined) return known;
    const key = JSON.stringify(chain);
    if (!this.#prototypes.has(key)) {
      const prototype = Object.create(this.#prototypeOf(rest));
      const constructor = Object.defineProperty(function constructed() {}, 'name', { value: name });
      define(prototype, 'constructor', constructor, false);
      constructor.prototype = prototype;
      this.#prototypes.set(key, prototype);
    }
    return this.#prototypes.get(key);
  }
}

function define(target, name, value, enumerable) {
  Object.defineProperty(target, name, { value, enumerable, writable: true, configurable: true });
}

function malformed() {
  throw new MalformedError('no value');
}

const text = (value) => (typeof value === 'string' ? value : malformed());
const list = (value) => (Array.isArray(value) ? value : malformed());

function names(chain) {
  if (list(chain).length > 30 || chain.some((name) => typeof name !== 'string' && name !== null)) malformed();
  return chain;
}

function decodeBigint(hex) {
  const [, sign, digits] = /^(-?)([0-9a-f]+)$/.exec(text(hex)) ?? malformed();
  const value = BigInt(`0x${digits}`);
  return sign === '-' ? -value : value;
}

function decodeBytes(kind, hex) {
  const bytes = Buffer.from(hex, 'hex');
  if (kind === 'Buffer') return bytes;
  const copy = new Uint8Array(bytes).buffer;
  if (kind === 'ArrayBuffer' || kind === 'SharedArrayBuffer') return copy;
  const Kind = Object.hasOwn(BYTES, kind) ? BYTES[kind] : Uint8Array;
  return new Kind(copy);
}
