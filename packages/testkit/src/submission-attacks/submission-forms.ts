import type { SubmissionLanguage } from '@assay/sandbox';

/** A submission as people and models write them. */
export interface SubmissionForm {
  name: string;
  code: string;
  /** Default `add`. */
  functionName?: string;
  language?: SubmissionLanguage;
  /** Default: `add(2, 3)` is 5. */
  input?: unknown[];
  expected?: unknown;
  /** It shall not pass, and say this. */
  error?: RegExp;
}

const FENCE = '```';
const BODY = 'return a + b;';

/** Forms that work. */
const GOOD: readonly SubmissionForm[] = [
  { name: 'a function', code: `function add(a, b) { ${BODY} }` },
  { name: 'an exported function', code: `export function add(a, b) { ${BODY} }` },
  { name: 'an exported arrow', code: `export const add = (a, b) => { ${BODY} };` },
  { name: 'a list of exports', code: `const plus = (a, b) => { ${BODY} };\nexport { plus as add };` },
  { name: 'a named default export', code: `export default function add(a, b) { ${BODY} }` },
  { name: 'a default export of another name', code: `export default function sum(a, b) { ${BODY} }` },
  { name: 'an anonymous default export', code: `export default function (a, b) { ${BODY} }` },
  { name: 'an arrow as default export', code: 'export default (a, b) => a + b;' },
  { name: 'a name as default export', code: `const sum = (a, b) => a + b;\nexport default sum;` },
  { name: 'a class as default export', code: `export default class { add(a, b) { ${BODY} } }` },
  { name: 'an object as default export', code: `export default { add(a, b) { ${BODY} } };` },
  { name: 'module.exports', code: `module.exports = function (a, b) { ${BODY} };` },
  { name: 'module.exports of a name', code: `const sum = (a, b) => a + b;\nmodule.exports = sum;` },
  { name: 'module.exports of an object', code: `function add(a, b) { ${BODY} }\nmodule.exports = { add };` },
  {
    name: 'module.exports under another name',
    code: `function plus(a, b) { ${BODY} }\nmodule.exports = { add: plus };`,
  },
  { name: 'exports.name', code: `exports.add = (a, b) => { ${BODY} };` },
  { name: 'module.exports of a class', code: `class Adder { add(a, b) { ${BODY} } }\nmodule.exports = Adder;` },
  {
    name: 'module.exports guarded',
    code: `function add(a, b) { ${BODY} }\nif (typeof module !== 'undefined' && module.exports) { module.exports = { add }; }`,
  },
  {
    name: 'a main guard of CommonJS',
    code: `function add(a, b) { ${BODY} }\nif (require.main === module) { console.log(add(1, 2)); process.exit(1); }`,
  },
  { name: 'an arrow', code: 'const add = (a, b) => a + b;' },
  { name: 'an arrow without end', code: 'let add = (a, b) => a + b' },
  { name: 'a function expression', code: `var add = function plus(a, b) { ${BODY} };` },
  { name: 'an async function', code: `async function add(a, b) { await null; ${BODY} }` },
  {
    name: 'an async arrow with a timer',
    code: 'const add = async (a, b) => { await new Promise((resolve) => setTimeout(resolve, 5000)); return a + b; };',
  },
  {
    name: 'a promise',
    code: 'function add(a, b) { return new Promise((resolve) => setTimeout(() => resolve(a + b), 10)); }',
  },
  { name: 'a thenable', code: 'function add(a, b) { return { then(resolve) { resolve(a + b); } }; }' },
  { name: 'a static method', code: `class Solution { static add(a, b) { ${BODY} } }`, functionName: 'Solution.add' },
  {
    name: 'a static method of another class, exported',
    code: `export class MathTools { static add(a, b) { ${BODY} } }`,
    functionName: 'MathTools.add',
  },
  {
    name: 'a method of a class Solution',
    code: `class Solution {\n  add(a, b) { return this.plus(a, b); }\n  plus(a, b) { ${BODY} }\n}`,
  },
  { name: 'a method by its path', code: `class Solution { add(a, b) { ${BODY} } }`, functionName: 'Solution.add' },
  {
    name: 'an inherited method',
    code: `class Base { add(a, b) { ${BODY} } }\nclass Solution extends Base {}`,
    functionName: 'Solution.add',
  },
  { name: 'a method of a class of any name', code: `class Adder {\n  add(a, b) { ${BODY} }\n}` },
  { name: 'a method of an object', code: `const tools = { add(a, b) { ${BODY} } };`, functionName: 'tools.add' },
  { name: 'a method of an object of any name', code: `const tools = {\n  add: (a, b) => a + b,\n};` },
  {
    name: 'a method of an object in an object',
    code: `const tools = { math: { add: (a, b) => a + b } };\nmodule.exports = { tools };`,
    functionName: 'tools.math.add',
  },
  { name: 'a global', code: 'globalThis.add = (a, b) => a + b;' },
  { name: 'an undeclared variable', code: 'add = (a, b) => a + b;' },
  { name: 'a member of this', code: `this.add = function (a, b) { ${BODY} };` },
  {
    name: 'helpers above',
    code: `const one = (x) => x;\nfunction helper(a, b) { return one(a) + one(b); }\nfunction add(a, b) { return helper(a, b); }`,
  },
  {
    name: 'helpers below',
    code: 'function add(a, b) { return helper(a, b); }\nconst one = (x) => x;\nfunction helper(a, b) { return one(a) + one(b); }',
  },
  {
    name: 'TypeScript',
    code: 'type Pair = { a: number; b: number };\nexport type { Pair };\nexport function add(a: number, b: number): number { const pair = { a, b } satisfies Pair; return (pair.a as number) + pair.b!; }',
  },
  {
    name: 'TypeScript without export',
    code: 'interface Pair<T> { a: T; b: T }\nfunction add<T extends number>(a: T, b: T): number { const pair: Pair<T> = { a, b }; return pair.a + pair.b; }',
  },
  {
    name: 'TypeScript with an enum and a class',
    code: 'enum Sign { Plus = 1, Minus = -1 }\nclass Adder<T extends number> { private readonly sign: Sign = Sign.Plus; constructor(private readonly first: T) {} add(b: T): number { return this.first + this.sign * b; } }\nexport const add = (a: number, b: number): number => new Adder(a).add(b);',
  },
  {
    name: 'TypeScript by name',
    code: 'const add = (a: number, b: number) => <number>(a + b);',
    language: 'typescript',
  },
  {
    name: 'an import of types only',
    code: "import type { Buffer } from 'node:buffer';\nexport function add(a: number, b: number): number { return a + b; }",
  },
  { name: 'a fenced block', code: `${FENCE}javascript\nfunction add(a, b) { ${BODY} }\n${FENCE}` },
  {
    name: 'a fenced block inside prose',
    code: `Here's the function, it's simple:\n\n${FENCE}js\nfunction add(a, b) {\n  ${BODY}\n}\n${FENCE}\n\nIt's O(1). Don't forget to call \`add(1, 2)\`.`,
  },
  { name: 'a fence without a name', code: `The code:\n${FENCE}\nfunction add(a, b) { ${BODY} }\n${FENCE}\n` },
  { name: 'a fence of tildes', code: `~~~js\nfunction add(a, b) { ${BODY} }\n~~~\n` },
  { name: 'a TypeScript fence', code: `${FENCE}ts\nconst add = (a: number, b: number): number => a + b;\n${FENCE}` },
  { name: 'a fence that is never closed', code: `Sure!\n${FENCE}js\nfunction add(a, b) { ${BODY} }` },
  {
    name: 'several blocks of which the last counts',
    code: `First try:\n${FENCE}js\nfunction add(a, b) { return a - b; }\n${FENCE}\nThat was wrong:\n${FENCE}js\nfunction add(a, b) { ${BODY} }\n${FENCE}\nRun it:\n${FENCE}sh\nnode add.js\n${FENCE}`,
  },
  {
    name: 'several blocks with an example below',
    code: `${FENCE}js\nfunction add(a, b) { ${BODY} }\n${FENCE}\nUsage:\n${FENCE}js\nconsole.log(add(1, 2));\n${FENCE}`,
  },
  { name: 'a fence in a string', code: `function add(a, b) { const text = "${FENCE}"; return text ? a + b : 0; }` },
  { name: 'line ends of Windows', code: `// adds\r\nfunction add(a, b) {\r\n  ${BODY}\r\n}\r\n` },
  {
    name: 'line ends of Windows and a fence',
    code: `Here:\r\n${FENCE}js\r\nfunction add(a, b) {\r\n  ${BODY}\r\n}\r\n${FENCE}\r\nDone.`,
  },
  { name: 'a byte order mark', code: `\uFEFFfunction add(a, b) { ${BODY} }` },
  { name: 'a line for the shell', code: `#!/usr/bin/env node\nexport function add(a, b) { ${BODY} }` },
  { name: 'strict mode', code: `"use strict";\nfunction add(a, b) { return this === undefined ? a + b : 0; }` },
  { name: 'a comment at the end', code: `function add(a, b) { ${BODY} } // done` },
  {
    name: 'output in between',
    code: 'console.log("loading");\nfunction add(a, b) { console.log("adding", { a, b }); console.error(a); console.table([a]); return a + b; }\nconsole.info("loaded", [1], null, undefined);',
  },
  {
    name: 'output that looks like a result',
    code: 'console.log(JSON.stringify({ returned: 5 }));\nfunction add(a, b) { console.log("5"); return a + b; }',
  },
  {
    name: 'a call at the top',
    code: `function add(a, b) { ${BODY} }\nconst result = add(1, 1);\nconsole.assert(result === 2);`,
  },
  {
    name: 'await at the top',
    code: `const one = await Promise.resolve(1);\nfunction add(a, b) { return a + b + one - 1; }`,
  },
  {
    name: 'await at the top of a module',
    code: `const one = await new Promise((resolve) => setTimeout(() => resolve(1), 100));\nexport const add = (a, b) => a + b + one - 1;`,
  },
  { name: 'return at the top', code: `function add(a, b) { ${BODY} }\nreturn add;` },
  {
    name: 'return before the end',
    code: `const add = (a, b) => a + b;\nif (add(1, 1) === 2) return;\nthrow new Error('unreachable');`,
  },
  {
    name: 'a name of its own called module',
    code: `const module = 1, exports = 2, require = 3;\nfunction add(a, b) { return a + b + module + exports - require; }`,
  },
  {
    name: 'a built-in redefined',
    code: 'function parseInt(a, b) { return a * 100 + b; }',
    functionName: 'parseInt',
    expected: 203,
  },
  {
    name: 'a name with letters of other alphabets',
    code: 'const добавить = (a, b) => a + b;',
    functionName: 'добавить',
  },
  { name: 'a name with a dollar', code: 'const $add_1 = (a, b) => a + b;', functionName: '$add_1' },
  {
    name: 'undefined as an argument and a result',
    code: 'const same = (value) => value;',
    functionName: 'same',
    input: [undefined],
    expected: undefined,
  },
  { name: 'a large submission', code: `${'// filler\n'.repeat(20_000)}function add(a, b) { ${BODY} }` },
];

/** Forms that do not, and what is said. */
const BAD: readonly SubmissionForm[] = [
  { name: 'nothing', code: '', error: /empty/ },
  { name: 'blank lines', code: ' \n\t\n', error: /empty/ },
  { name: 'an empty fence', code: `${FENCE}js\n${FENCE}`, error: /empty|defines no function add/ },
  { name: 'a binary', code: '\u007fELF\u0002\u0001\0\0\0', error: /binary/ },
  { name: 'prose', code: 'I cannot help with that request.', error: /SyntaxError/ },
  {
    name: 'a syntax error in line 3',
    code: 'const one = 1;\nfunction add(a, b) {\n  return a +;\n}',
    error: /SyntaxError.*line 3/,
  },
  {
    name: 'a syntax error in line 5 of the whole text',
    code: `Here:\n\n${FENCE}js\nfunction add(a, b) {\n  return a +;\n}\n${FENCE}`,
    error: /SyntaxError.*line 5/,
  },
  { name: 'another function', code: `function sum(a, b) { ${BODY} }`, error: /defines no function add/ },
  { name: 'no function', code: 'const add = 5;', error: /defines no function add/ },
  {
    name: 'the name of a built-in',
    code: 'const unrelated = 1;',
    functionName: 'parseInt',
    error: /defines no function parseInt/,
  },
  {
    name: 'the name of a built-in by its path',
    code: 'const unrelated = 1;',
    functionName: 'Math.max',
    error: /defines no function Math.max/,
  },
  {
    name: 'the name of an inherited method',
    code: 'module.exports = { unrelated: 1 };',
    functionName: 'toString',
    error: /defines no function toString/,
  },
  {
    name: 'the name of an inherited method of a class',
    code: 'class Solution {}',
    functionName: 'Solution.call',
    error: /defines no function Solution.call/,
  },
  {
    name: 'require as a name',
    code: 'const unrelated = 1;',
    functionName: 'require',
    error: /defines no function require/,
  },
  {
    name: 'an error at the top',
    code: 'throw new TypeError("not today");\nfunction add() {}',
    error: /TypeError: not today/,
  },
  {
    name: 'an error at the top after await',
    code: 'await null;\nthrow new TypeError("not today");\nfunction add() {}',
    error: /TypeError: not today/,
  },
  {
    name: 'a class that cannot be made',
    code: 'class Solution { constructor() { throw new RangeError("no"); } add(a, b) { return a + b; } }',
    error: /RangeError: no/,
  },
  { name: 'an error', code: 'function add() { throw new RangeError("too much"); }', error: /RangeError: too much/ },
  {
    name: 'a rejected promise',
    code: 'async function add() { throw new RangeError("too much"); }',
    error: /RangeError: too much/,
  },
  { name: 'a text that was thrown', code: 'function add() { throw "just text"; }', error: /just text/ },
  {
    name: 'a promise that is never settled',
    code: 'const add = () => new Promise(() => {});',
    error: /never settled|timed out/,
  },
  { name: 'nothing returned', code: 'function add(a, b) { a + b; }', error: /expected 5, got undefined/ },
];

/** Those that only run without a module system around them. */
export const NO_MODULES_FORMS: readonly SubmissionForm[] = [
  {
    name: 'an import of a module',
    code: "import fs from 'node:fs';\nexport function add(a, b) { fs.writeFileSync('/tmp/x', ''); return a + b; }",
    error: /node:fs cannot be imported/,
  },
  {
    name: 'require of a module',
    code: "const fs = require('fs');\nfunction add(a, b) { return a + b; }",
    error: /fs cannot be imported/,
  },
];

/** Every provider of JavaScript passes these. */
export const SUBMISSION_FORMS: readonly SubmissionForm[] = [...GOOD, ...BAD];
