import type { SubmissionAttack } from './attack.ts';

const LOOP = 'for (;;);';
/** For what only time ends. */
const SHORT = { timeoutMs: 700 } as const;
/** For what something else than time must end, on a busy machine too. */
const GENEROUS = { timeoutMs: 30_000 } as const;
/** Time ran out, or memory did before. */
const STOPPED = /timed out|memory|too large|heap|ended|killed|recursion|stack/i;

const TOO_LONG = /memory|longer than|invalid string length|string too long|ended|timed out/i;
/** One is enough. */
const CASES = [{ input: [], expected: 'nothing of the kind' }];

const loop = (where: string, code: string): SubmissionAttack => ({
  name: `a loop without end ${where}`,
  covers: ['I8', 'bad input: infinite loop'],
  code,
  cases: CASES,
  options: SHORT,
  says: /timed out|out of memory/,
});
/** May be ended by time only when `says` allows it. */
const bomb = (name: string, body: string, says: RegExp = STOPPED): SubmissionAttack => ({
  name,
  covers: ['I12'],
  code: `function attack() { ${body} }`,
  cases: CASES,
  options: /timed out/.test(says.source) ? { timeoutMs: 1200 } : GENEROUS,
  says,
});

/** Time, memory, stack: I8, I12. */
export const EXHAUSTION_ATTACKS: readonly SubmissionAttack[] = [
  loop('in the function', `function attack() { ${LOOP} }`),
  loop('at the top', `${LOOP}\nfunction attack() {}`),
  loop(
    'in a promise',
    `function attack() { Promise.resolve().then(() => { ${LOOP} }); return 1; }\nattack = ((inner) => () => new Promise((resolve) => { inner(); setTimeout(resolve, 0); }))(attack);`,
  ),
  loop('of promises', 'async function attack() { for (;;) await null; }'),
  {
    ...loop(
      'of promises that the function does not wait for',
      'function attack() { const again = () => Promise.resolve().then(again); again(); return new Promise((resolve) => setTimeout(resolve, 1)); }',
    ),
    says: /timed out|expected|memory/,
  },
  loop('of timers', 'function attack() { return new Promise(() => { setInterval(() => {}, 1); }); }'),
  loop('in a timer', `function attack() { return new Promise(() => { setTimeout(() => { ${LOOP} }, 1); }); }`),
  loop('in then', `function attack() { return { get then() { ${LOOP} } }; }`),
  loop('in the then of a thenable', `function attack() { return { then() { ${LOOP} } }; }`),
  loop('in a Proxy', `function attack() { return new Proxy({}, { ownKeys() { ${LOOP} } }); }`),
  loop('in the message of an error', `function attack() { throw { name: 'E', get message() { ${LOOP} } }; }`),
  loop('in the text of an error', `function attack() { throw { name: 'E', message: { toString() { ${LOOP} } } }; }`),
  loop('in catch and finally', `function attack() { for (;;) { try { ${LOOP} } catch { } finally { continue; } } }`),
  loop('in an iterator', `function attack() { return [...{ *[Symbol.iterator]() { ${LOOP} } }]; }`),
  loop(
    'in a getter on a prototype',
    `Object.defineProperty(Object.prototype, 'then', { get() { ${LOOP} } });\nfunction attack() { return {}; }`,
  ),
  {
    name: 'a loop in a getter and in toJSON is never entered',
    covers: ['I14', 'bad input: infinite loop'],
    code: `function attack() { return { get a() { ${LOOP} }, toJSON() { ${LOOP} }, valueOf() { ${LOOP} }, [Symbol.iterator]() { ${LOOP} } }; }`,
    says: /expected/,
  },
  {
    name: 'a promise that is never settled',
    covers: ['bad input'],
    code: 'function attack() { return new Promise(() => {}); }',
    options: SHORT,
    says: /never settled|timed out/,
  },
  {
    name: 'a promise that waits for itself',
    covers: ['bad input'],
    code: 'function attack() { const self = (async () => { await null; return self; })(); return self; }',
    options: SHORT,
    says: /TypeError|never settled|timed out/,
  },
  {
    name: 'a rejection that nobody handles',
    covers: ['bad input'],
    code: 'function attack() { Promise.reject(new Error("lost")); return 1; }',
    says: /expected|lost/,
  },
  {
    name: 'timers that go on after the answer',
    covers: ['bad input'],
    code: 'function attack() { setInterval(() => {}, 1); setTimeout(() => { throw new Error("late"); }, 1); return 1; }',
    options: GENEROUS,
    says: /expected/,
  },
  bomb('a text of 1 GB', 'return "x".repeat(2 ** 30);', TOO_LONG),
  bomb(
    'a text of 1 GB made of texts',
    'let text = "x"; while (text.length < 2 ** 30) text += text; return [text + "y"];',
    TOO_LONG,
  ),
  bomb('10 million results', 'return new Array(1e7).fill(0);', /memory|more than 200000 values|ended|timed out/),
  bomb(
    '10 million keys',
    'const all = {}; for (let i = 0; i < 1e7; i += 1) all["k" + i] = i; return all;',
    /memory|more than 200000 values|ended|timed out/,
  ),
  bomb('a sparse array of 2 ** 32 - 1', 'const all = []; all[2 ** 32 - 2] = 1; return all;', /more than 200000 values/),
  bomb(
    'a result that nests 1 million deep',
    'let all = []; for (let i = 0; i < 1e6; i += 1) all = [all]; return all;',
    /nests deeper|memory|timed out|recursion|ended/,
  ),
  bomb(
    'a result that holds itself 2 ** 40 times',
    'let all = [1]; for (let i = 0; i < 40; i += 1) all = [all, all]; return all;',
    /more than 200000 values/,
  ),
  bomb('memory without end', 'const all = []; for (;;) all.push(new Array(1000).fill(all.length));'),
  bomb(
    'buffers without end',
    'const all = []; for (;;) all.push(new Uint8Array(2 ** 24).fill(1));',
    /memory|timed out|ended|allocation/i,
  ),
  bomb(
    'a Map without end',
    'const all = new Map(); for (;;) all.set({}, "x".repeat(100) + all.size);',
    /memory|timed out|ended|size exceeded/i,
  ),
  bomb('recursion without end', 'return attack();', /stack|recursion/i),
  bomb('recursion through built-ins', '[1].map(function again() { return [1].map(again); });', /stack|recursion/i),
  bomb('recursion of getters', 'const all = { get a() { return all.a; } }; return all.a;', /stack|recursion/i),
  bomb(
    'recursion in toString',
    'const all = []; all.push(all); const deep = { toString() { return `${deep}`; } }; return `${deep}`;',
    /stack|recursion/i,
  ),
  bomb('recursion in the parser', 'return eval("[".repeat(1e6));', /stack|recursion|SyntaxError|too deep/i),
  bomb(
    'recursion in JSON',
    'let all = []; for (let i = 0; i < 1e6; i += 1) all = [all]; return JSON.stringify(all);',
    /stack|recursion|memory|timed out|ended/i,
  ),
  bomb('a pattern that backtracks', 'return /^(a+)+$/.test("a".repeat(60) + "b");', /timed out|the value/),
  bomb(
    'a pattern that backtracks over a long text',
    'return /(x+x+)+y/.test("x".repeat(1e5));',
    /timed out|the value|stack/,
  ),
  bomb(
    'a number of a million digits',
    'let n = 7n; for (;;) n *= n;',
    /too (large|big)|Maximum BigInt|memory|timed out|ended/i,
  ),
  bomb(
    'a native call on long texts',
    'const text = "a".repeat(4e6); for (;;) text.replaceAll("a", "bb").indexOf("c".repeat(3e6));',
    TOO_LONG,
  ),
  bomb('an error with a message of 100 MB', 'throw new Error("x".repeat(1e8));', /x{100}|memory|ended/),
  bomb(
    'an error with a name of 10 MB and line ends',
    'const error = new Error("\\n".repeat(1e6)); error.name = "y\\n\\u001b[2J".repeat(1e6); throw error;',
    /y|memory|ended/,
  ),
  bomb('output without end', 'for (;;) console.log("x".repeat(1e5));'),
  bomb(
    'a flood of output and an answer',
    'for (let i = 0; i < 1e4; i += 1) console.log("x".repeat(1e4)); return 1;',
    /expected|timed out/,
  ),
  {
    name: 'a huge equal structure to compare',
    covers: ['I12'],
    code: 'function attack() { const row = new Array(9).fill(0); return Array.from({ length: 1800 }, (_, i) => [...row, i % 7 ? 1 : 0.5]); }',
    cases: [
      {
        input: [],
        expected: Array.from({ length: 1800 }, (_, index) => [...new Array<number>(9).fill(0), index % 7 ? 2 : 9]),
      },
    ],
    options: { ...GENEROUS, unordered: true, numberTolerance: 0.1 },
    says: /too much|not expected/,
  },
];
