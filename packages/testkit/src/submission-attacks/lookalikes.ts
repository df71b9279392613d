/** Values that careless comparisons take for what is expected: H7, H9, H12. Each is an expression, and what is expected instead. */
export const LOOKALIKES: readonly (readonly [string, unknown])[] = [
  ['[1, "2"]', [1, 2]], ['"1"', 1], ['true', 1], ['null', undefined], ['undefined', null], ['0', false], ['""', 0], ['[5]', 5], ['{ toJSON: () => 5 }', 5], ['{ valueOf: () => 5 }', 5], ['Object(5)', 5], ['Object("x")', 'x'], ['5n', 5],
  ['({ get a() { return 1; } })', { a: 1 }], ['Object.defineProperty({ a: 1 }, "b", { value: 2 })', { a: 1, b: 2 }], ['Object.defineProperty({ a: 1 }, "b", { value: 2 })', { a: 1 }], ['Object.create({ a: 1 })', { a: 1 }], ['new (class { a = 1; })()', { a: 1 }],
  ['{ a: NaN }', { a: null }], ['{ a: 1, b: undefined }', { a: 1 }], ['[undefined]', [null]], ['new Array(1)', [null]], ['new Map([["a", 1]])', { a: 1 }], ['new Map()', {}], ['new Set([1])', [1]], ['new Date(0)', '1970-01-01T00:00:00.000Z'], ['[]', {}], ['{}', []], ['{ length: 0 }', []], ['Object.assign([1], { a: 1 })', [1]],
  ['({ "0": 1, length: 1 })', [1]], ['new Proxy([1], { get: (list, key) => (key === "0" ? 2 : list[key]) })', [2]], ['new Error("a")', { message: 'a' }], ['Infinity', null], ['0', { $type: 'number', value: '-0' }], ['[[1], [2]]', [1, 2]], ['"1,2"', [1, 2]],
  ['"the answer is 42"', '42'], ['" 42"', '42'], ['"42\\n"', '42'], ['"Paris"', 'paris'], ['"paris."', 'paris'], ['"pa\\u200bris"', 'paris'], ['"p\\u0430ris"', 'paris'], ['"\\u202eparis"', 'paris'], ['"e\\u0301"', '\u00e9'], ['"\\uff14\\uff12"', '42'], ['"\\ufeffparis"', 'paris'], ['"paris\\u0000"', 'paris'], ['"\\ud800"', '\ufffd'],
  ['".*"', 'paris'], ['/paris/', 'paris'], ['42.0000000001', 42], ['[42, 42]', [42]], ['{ $type: "bigint", value: "5" }', 5], ['{ any: 1 }', { $type: 'object', entries: [['$type', 'any']] }],
];

/** Names that are code. None may be run, and each is refused. */
export const NAMES_THAT_ARE_CODE: readonly string[] = [
  '(()=>1)', 'a;b', 'a b', 'a[0]', 'a.', '.a', 'a..b', '', ' ', 'a\n', 'a(', '1a', '__proto__', 'a.__proto__', 'a.constructor', 'constructor', 'eval', 'this', 'globalThis.x', '${1}', '`a`', '"a"', 'a//', 'a/*', 'import("x")', '.*', '(a+)+', 'a'.repeat(300), 'a\u200b', 'a\u2028b',
];
