/* oxlint-disable eslint/max-lines-per-function -- one function, as its text is sent into guests as a whole */
/**
 * Turns JavaScript values into tagged JSON text and back. The host uses it, and its text is sent into guests, whose
 * code it then shares a realm with. So it names nothing outside itself, and keeps every built-in that it needs before
 * foreign code can replace it.
 *
 * JSON stands for itself. All else is an object with `$type`; see `tagged-value.ts` for the list and for what each
 * means.
 */
export function makeCodec(): Codec {
  const { isArray } = Array;
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, is } = Object;
  const { apply, ownKeys } = Reflect;
  const { parse, stringify } = JSON;
  const { isFinite } = Number;
  const [StandardMap, StandardSet, StandardDate, StandardRegExp, StandardError, Big, Sym, Bytes] = [
    Map,
    Set,
    Date,
    RegExp,
    Error,
    BigInt,
    Symbol,
    Uint8Array,
  ];
  const [objectPrototype, arrayPrototype] = [Object.prototype, Array.prototype];
  const typedArrayPrototype: object = getPrototypeOf(Uint8Array.prototype);
  const errorPrototype = Error.prototype;
  const hasOwn = Object.prototype.hasOwnProperty;
  const { forEach: mapForEach, set: mapSet } = Map.prototype;
  const { forEach: setForEach, add: setAdd } = Set.prototype;
  const { getTime, toISOString } = Date.prototype;
  const symbolDescription = getOwnPropertyDescriptor(Symbol.prototype, 'description')?.get;
  const typedArrayName = getOwnPropertyDescriptor(typedArrayPrototype, Symbol.toStringTag)?.get;
  const typedArrayLength = getOwnPropertyDescriptor(typedArrayPrototype, 'length')?.get;
  const regExpSource = getOwnPropertyDescriptor(RegExp.prototype, 'source')?.get;
  const regExpFlags = getOwnPropertyDescriptor(RegExp.prototype, 'flags')?.get;
  const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const digits: Record<string, number | undefined> = Object.create(null) as Record<string, number | undefined>;
  for (let place = 0; place < 64; place += 1) digits[BASE64[place] ?? ''] = place;
  /** By name, those that this engine has. `bytes` are apart. */
  const typedArrays: Record<string, (new (values: readonly unknown[]) => object) | undefined> = Object.create(
    null,
  ) as Record<string, undefined>;
  for (const name of [
    'Int8Array',
    'Uint8ClampedArray',
    'Int16Array',
    'Uint16Array',
    'Int32Array',
    'Uint32Array',
    'BigInt64Array',
    'BigUint64Array',
    'Float16Array',
    'Float32Array',
    'Float64Array',
  ]) {
    typedArrays[name] = (globalThis as Record<string, unknown>)[name] as new (values: readonly unknown[]) => object;
  }

  class Refused extends StandardError {}

  function encode(value: unknown, limits: CodecLimits): string {
    let nodes = 0;
    let room = limits.characters;
    const ancestors: object[] = [];

    const take = (text: string): string => {
      room -= text.length;
      if (room < 0) throw new Refused(`it is longer than ${limits.characters} characters`);
      return text;
    };
    const quote = (text: string): string => {
      if (text.length > room) throw new Refused(`it is longer than ${limits.characters} characters`);
      return take(stringify(text));
    };
    // The members are counted where they are written.
    const tag = (type: string, members: string): string =>
      `${take(`{"$type":"${type}"`)}${members === '' ? '' : `,${members}`}}`;

    function write(item: unknown, depth: number): string {
      nodes += 1;
      if (nodes > limits.nodes) throw new Refused(`it holds more than ${limits.nodes} values`);
      switch (typeof item) {
        case 'string':
          return quote(item);
        case 'number':
          return writeNumber(item);
        case 'boolean':
          return take(item ? 'true' : 'false');
        case 'undefined':
          return tag('undefined', '');
        case 'bigint':
          return tag('bigint', `"value":${quote(`${item}`)}`);
        case 'symbol':
          return tag('symbol', `"value":${quote(`${symbolDescription ? apply(symbolDescription, item, []) : ''}`)}`);
        case 'function':
          return tag('function', `"name":${quote(ownText(item, 'name'))}`);
        default:
          return item === null ? take('null') : writeObject(item as object, depth);
      }
    }

    function writeNumber(number: number): string {
      if (is(number, -0)) return tag('number', '"value":"-0"');
      return isFinite(number) ? take(`${number}`) : tag('number', `"value":"${number}"`);
    }

    function writeObject(item: object, depth: number): string {
      if (depth >= limits.depth) throw new Refused(`it nests deeper than ${limits.depth} levels`);
      for (let index = ancestors.length - 1; index >= 0; index -= 1) {
        if (ancestors[index] === item) return tag('cycle', `"up":${ancestors.length - index}`);
      }
      defineProperty(ancestors, ancestors.length, {
        value: item,
        writable: true,
        enumerable: true,
        configurable: true,
      });
      const text = writeKnown(item, depth + 1);
      ancestors.length -= 1;
      return text;
    }

    function writeKnown(item: object, depth: number): string {
      const prototype: unknown = getPrototypeOf(item);
      if (isArray(item))
        return prototype === arrayPrototype ? writeArray(item, depth) : writeInstance(item, 'array', depth);
      if (prototype === objectPrototype || prototype === null) return writePlain(item, depth);
      if (brand(getTime, item))
        return prototype === StandardDate.prototype ? writeDate(item) : writeInstance(item, 'date', depth);
      if (brand(mapForEach, item, () => undefined))
        return prototype === StandardMap.prototype ? writeMap(item, depth) : writeInstance(item, 'map', depth);
      if (brand(setForEach, item, () => undefined))
        return prototype === StandardSet.prototype ? writeSet(item, depth) : writeInstance(item, 'set', depth);
      if (prototype === StandardRegExp.prototype && regExpSource && regExpFlags && brand(regExpSource, item)) {
        return tag(
          'regexp',
          `"source":${quote(apply(regExpSource, item, []))},"flags":${quote(apply(regExpFlags, item, []))}`,
        );
      }
      const typed: unknown = typedArrayName ? apply(typedArrayName, item, []) : undefined;
      if (typeof typed === 'string') return writeTypedArray(item, typed, depth);
      if (isError(item))
        return tag('error', `"name":${quote(text(item, 'name'))},"message":${quote(text(item, 'message'))}`);
      return writeInstance(item, 'object', depth);
    }

    function writeArray(item: unknown[], depth: number): string {
      const { length } = item;
      if (length > limits.nodes) throw new Refused(`it holds more than ${limits.nodes} values`);
      let out = '[';
      let own = 0;
      for (let index = 0; index < length; index += 1) {
        if (index > 0) out += ',';
        const descriptor = getOwnPropertyDescriptor(item, index);
        if (descriptor) own += 1;
        out += descriptor === undefined ? tag('hole', '') : writeDescriptor(descriptor, depth);
      }
      // One more is the length itself.
      if (ownKeys(item).length !== own + 1) return tag('exotic', '"why":"an array with further properties"');
      return `${out}${take(']')}`;
    }

    function writePlain(item: object, depth: number): string {
      const keys = ownKeys(item);
      const odd = oddity(item, keys);
      if (odd !== '') return tag('exotic', `"why":"${odd}"`);
      const tagged = apply(hasOwn, item, ['$type']);
      let out = '';
      for (let index = 0; index < keys.length; index += 1) {
        const key = keys[index] as string;
        const value = writeDescriptor(getOwnPropertyDescriptor(item, key) as PropertyDescriptor, depth);
        out += `${out === '' ? '' : ','}${tagged ? `[${quote(key)},${value}]` : `${quote(key)}:${value}`}`;
      }
      return tagged ? `{"$type":"object","entries":[${out}]}` : `{${out}}`;
    }

    function oddity(item: object, keys: readonly PropertyKey[]): string {
      for (let index = 0; index < keys.length; index += 1) {
        const key = keys[index] as PropertyKey;
        if (typeof key === 'symbol') return 'an object with symbols as keys';
        if (getOwnPropertyDescriptor(item, key)?.enumerable !== true) return 'an object with hidden properties';
      }
      return '';
    }

    function writeDescriptor(descriptor: PropertyDescriptor, depth: number): string {
      return apply(hasOwn, descriptor, ['value']) ? write(descriptor.value, depth) : tag('accessor', '');
    }

    function writeDate(item: object): string {
      const time: number = apply(getTime, item, []);
      return tag('date', `"value":${time === time ? quote(apply(toISOString, item, [])) : 'null'}`);
    }

    function writeMap(item: object, depth: number): string {
      let out = '';
      apply(mapForEach, item, [
        (value: unknown, key: unknown) => {
          out += `${out === '' ? '' : ','}[${write(key, depth)},${write(value, depth)}]`;
        },
      ]);
      return tag('map', `"entries":[${out}]`);
    }

    function writeSet(item: object, depth: number): string {
      let out = '';
      apply(setForEach, item, [(value: unknown) => void (out += `${out === '' ? '' : ','}${write(value, depth)}`)]);
      return tag('set', `"values":[${out}]`);
    }

    function writeTypedArray(item: object, name: string, depth: number): string {
      const length: number = typedArrayLength ? apply(typedArrayLength, item, []) : 0;
      if (length > limits.nodes) throw new Refused(`it holds more than ${limits.nodes} values`);
      const elements = item as unknown as Record<number, unknown>;
      if (name === 'Uint8Array')
        return tag('bytes', `"value":${quote(toBase64(elements as Record<number, number>, length))}`);
      let out = '';
      for (let index = 0; index < length; index += 1)
        out += `${index === 0 ? '' : ','}${write(elements[index], depth)}`;
      return tag('typed-array', `"name":"${name}","values":[${out}]`);
    }

    /** Writes the name of an instance's class and its own data. Data inherited from a built-in is not read. */
    function writeInstance(item: object, base: string, depth: number): string {
      const keys = ownKeys(item);
      let out = '';
      for (let index = 0; index < keys.length && base === 'object'; index += 1) {
        const key = keys[index];
        if (typeof key !== 'string') continue;
        const descriptor = getOwnPropertyDescriptor(item, key) as PropertyDescriptor;
        out += `${out === '' ? '' : ','}[${quote(key)},${writeDescriptor(descriptor, depth)}]`;
      }
      return tag('instance', `"class":${quote(className(item))},"base":"${base}","entries":[${out}]`);
    }

    return write(value, 0);
  }

  /** Whether a method of a built-in accepts the object as its own. */
  function brand(method: (...given: never[]) => unknown, item: object, ...given: unknown[]): boolean {
    try {
      apply(method, item, given);
      return true;
    } catch {
      return false;
    }
  }

  function isError(item: object): boolean {
    for (let prototype: unknown = getPrototypeOf(item), steps = 0; prototype !== null && steps < 20; steps += 1) {
      if (prototype === errorPrototype) return true;
      prototype = getPrototypeOf(prototype);
    }
    return false;
  }

  /** A property that foreign code may have made anything of, as text of a bounded length. */
  function text(item: object, key: string): string {
    try {
      const value: unknown = (item as Record<string, unknown>)[key];
      return typeof value === 'string' ? cut(value) : value === undefined ? '' : cut(`${value as string}`);
    } catch {
      return '';
    }
  }

  function ownText(item: object, key: string): string {
    const value: unknown = getOwnPropertyDescriptor(item, key)?.value;
    return typeof value === 'string' ? cut(value) : '';
  }

  function className(item: object): string {
    const prototype: object | null = getPrototypeOf(item);
    const constructor: unknown = prototype ? getOwnPropertyDescriptor(prototype, 'constructor')?.value : undefined;
    return typeof constructor === 'function' ? ownText(constructor, 'name') : '';
  }

  function cut(value: string): string {
    let out = '';
    if (value.length <= 10_000) return value;
    for (let index = 0; index < 10_000; index += 1) out += value[index] ?? '';
    return `${out}…`;
  }

  function toBase64(bytes: Record<number, number>, length: number): string {
    let out = '';
    for (let index = 0; index < length; index += 3) {
      const [a = 0, b = 0, c = 0] = [bytes[index], bytes[index + 1], bytes[index + 2]];
      out += `${BASE64[a >> 2]}${BASE64[((a & 3) << 4) | (b >> 4)]}`;
      out += index + 1 < length ? BASE64[((b & 15) << 2) | (c >> 6)] : '=';
      out += index + 2 < length ? BASE64[c & 63] : '=';
    }
    return out;
  }

  function fromBase64(value: string): Uint8Array {
    const bytes: number[] = [];
    let bits = 0;
    let count = 0;
    for (let index = 0; index < value.length; index += 1) {
      const digit = digits[value[index] ?? ''];
      if (digit === undefined) continue;
      bits = ((bits << 6) | digit) & 0xffffff;
      count += 6;
      if (count < 8) continue;
      count -= 8;
      bytes[bytes.length] = (bits >> count) & 255;
    }
    return new Bytes(bytes);
  }

  /** The value of parsed tagged JSON. `ancestors` are what cycles refer to. */
  function revive(item: unknown, ancestors: readonly unknown[]): unknown {
    if (typeof item !== 'object' || item === null) return item;
    if (isArray(item)) {
      const array: unknown[] = [];
      array.length = item.length;
      const within = [...ancestors, array];
      for (let index = 0; index < item.length; index += 1)
        if (typeOf(item[index]) !== 'hole') array[index] = revive(item[index], within);
      return array;
    }
    const type = typeOf(item);
    return type === null
      ? revivePlain(
          ownKeys(item).map((key) => [key as string, (item as Record<PropertyKey, unknown>)[key]]),
          ancestors,
        )
      : reviveTagged(type, item as Record<string, unknown>, ancestors);
  }

  function typeOf(item: unknown): string | null {
    if (typeof item !== 'object' || item === null || isArray(item)) return null;
    const type: unknown = getOwnPropertyDescriptor(item, '$type')?.value;
    return typeof type === 'string' ? type : null;
  }

  function revivePlain(entries: readonly (readonly [string, unknown])[], ancestors: readonly unknown[]): object {
    const object = {};
    const within = [...ancestors, object];
    for (const [key, value] of entries)
      defineProperty(object, key, {
        value: revive(value, within),
        writable: true,
        enumerable: true,
        configurable: true,
      });
    return object;
  }

  /**
   * A tag that makes no value in this engine, such as a pattern that only another one knows, stays as it is described.
   */
  function reviveTagged(type: string, item: Record<string, unknown>, ancestors: readonly unknown[]): unknown {
    try {
      return reviveKnown(type, item, ancestors);
    } catch {
      return item;
    }
  }

  function reviveKnown(type: string, item: Record<string, unknown>, ancestors: readonly unknown[]): unknown {
    const list = (key: string): unknown[] => (isArray(item[key]) ? item[key] : []);
    switch (type) {
      case 'undefined':
        return undefined;
      case 'number':
        return item['value'] === '-0' ? -0 : +(item['value'] as string);
      case 'bigint':
        return Big(item['value'] as string);
      case 'symbol':
        return Sym(item['value'] as string);
      case 'date':
        return new StandardDate(item['value'] === null ? 0 / 0 : (item['value'] as string));
      case 'regexp':
        return new StandardRegExp(item['source'] as string, item['flags'] as string);
      case 'bytes':
        return fromBase64(`${item['value'] as string}`);
      case 'cycle':
        return ancestors[ancestors.length - (item['up'] as number)];
      case 'tuple':
        return list('values').map((each) => revive(each, [...ancestors, null]));
      case 'object':
        return revivePlain(list('entries') as [string, unknown][], ancestors);
      case 'error':
        return reviveError(item);
      case 'typed-array': {
        const Typed = typedArrays[`${item['name'] as string}`];
        return Typed ? new Typed(list('values').map((each) => revive(each, ancestors))) : item;
      }
      case 'map': {
        const map = new StandardMap();
        for (const entry of list('entries'))
          apply(mapSet, map, [
            revive((entry as unknown[])[0], [...ancestors, map]),
            revive((entry as unknown[])[1], [...ancestors, map]),
          ]);
        return map;
      }
      case 'set':
      case 'frozenset': {
        const set = new StandardSet();
        for (const each of list('values')) apply(setAdd, set, [revive(each, [...ancestors, set])]);
        return set;
      }
      // Types that JavaScript does not have stay tagged.
      default:
        return item;
    }
  }

  function reviveError(item: Record<string, unknown>): Error {
    const error = new StandardError(`${item['message'] as string}`);
    defineProperty(error, 'name', {
      value: `${item['name'] as string}`,
      writable: true,
      enumerable: false,
      configurable: true,
    });
    return error;
  }

  return {
    encode,
    decode: (json) => revive(parse(json), []),
    refusal: (error) => (error instanceof Refused ? error.message : null),
    describe: (error) =>
      typeof error === 'object' && error !== null
        ? { name: text(error, 'name'), message: text(error, 'message') }
        : {
            name: '',
            message:
              typeof error === 'symbol' || typeof error === 'function' ? typeof error : cut(`${error as string}`),
          },
  };
}

export interface CodecLimits {
  depth: number;
  /** Values, containers included. */
  nodes: number;
  /** Length of the text. */
  characters: number;
}

export interface Codec {
  /** Throws what `refusal` knows when the value is over a limit, and whatever a hostile proxy throws. */
  encode(value: unknown, limits: CodecLimits): string;
  /** Throws on text that is no JSON, or tags that make no value. */
  decode(json: string): unknown;
  /** Returns why `encode` refused a value; null for any other error. */
  refusal(error: unknown): string | null;
  /** Name and message of anything thrown, of bounded length; never throws. */
  describe(error: unknown): { name: string; message: string };
}
