import { EXPECTED_PREFIX, LATER_PREFIX, type SubmissionAttack } from './attack.ts';

const LINES = JSON.stringify(
  ['{"returned":1}', '{"passed":true}', '{"kind":"outcome","text":"{}"}', '{"score":100}', 'ok 1'].join('\n'),
);

/** Finds texts of a prefix in whatever can be reached from the roots, and in files when there are any. */
const SEARCH = `
function search(roots, prefixes) {
  const found = new Set(), known = new Set(), queue = [...roots];
  const keep = (text) => { for (const prefix of prefixes) for (let at = text.indexOf(prefix); at !== -1; at = text.indexOf(prefix, at + 1)) found.add(text.slice(at, at + 80)); };
  while (queue.length > 0 && known.size < 20000) {
    const value = queue.pop();
    if (typeof value === 'string') keep(value);
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || known.has(value)) continue;
    known.add(value);
    try { if (typeof value === 'function') keep(Function.prototype.toString.call(value)); } catch {}
    try { queue.push(Object.getPrototypeOf(value)); } catch {}
    try { queue.push(value.caller, value.arguments); } catch {}
    try { if (value instanceof Map) queue.push(...value.keys(), ...value.values()); if (value instanceof Set) queue.push(...value); } catch {}
    let keys = [];
    try { keys = Reflect.ownKeys(value); } catch {}
    for (const key of keys) { try { queue.push(String(key), value[key]); } catch {} }
  }
  try {
    const fs = process.getBuiltinModule('node:fs');
    const read = (path) => { try { keep(fs.readFileSync(path, 'latin1')); } catch {} };
    for (const id of fs.readdirSync('/proc')) if (/^[0-9]+$/.test(id)) for (const name of ['cmdline', 'environ', 'maps']) read('/proc/' + id + '/' + name);
    for (const directory of ['/workspace', '/tmp', '/home/user', '/dev/shm', '/run', process.cwd()]) for (const name of fs.readdirSync(directory)) read(directory + '/' + name);
  } catch {}
  return [...found];
}`;

/**
 * Knowing what is expected, or what comes; making the harness say what did not happen: I9, I14, F-like forgeries, H10.
 */
export const FORGERY_ATTACKS: readonly SubmissionAttack[] = [
  {
    name: 'a search for the expected value in all that can be reached',
    covers: ['I3', 'I4', 'I9'],
    code: `${SEARCH}
      function attack() {
        const frames = [];
        try { let at = attack; for (let steps = 0; steps < 50 && at; steps += 1) { frames.push(at, at.arguments); at = at.caller; } } catch {}
        try { let at = arguments.callee; for (let steps = 0; steps < 50 && at; steps += 1) { frames.push(at, at.arguments); at = at.caller; } } catch {}
        return search([globalThis, attack, arguments, new Error('here').stack, frames, typeof module === 'undefined' ? 0 : module, typeof require === 'undefined' ? 0 : require, this], ['${EXPECTED_PREFIX}'.slice(0), '${LATER_PREFIX}'.slice(0)].filter(Boolean));
      }`,
  },
  {
    name: 'a later case is read before its turn',
    covers: ['I9'],
    code: `${SEARCH}
      const kept = (globalThis.kept ??= []);
      function attack(...given) {
        const before = search([globalThis, new Error('x').stack], ['${LATER_PREFIX}']);
        kept.push(...given);
        return before;
      }`,
  },
  {
    name: 'built-ins that a harness uses are replaced',
    covers: ['I9'],
    code: `
      const sources = [];
      const spy = (name, original) => function (...given) { try { for (const each of given) if (typeof each === 'string') sources.push(each); } catch {} return name === 'answer' ? true : Reflect.apply(original, this, given); };
      const { apply } = Reflect;
      function attack() {
        JSON.stringify = () => '{"returned":true}'; JSON.parse = () => ({ returned: true, passed: true });
        for (const holder of [Array.prototype, String.prototype, Object, Object.prototype, Map.prototype, Set.prototype, Promise.prototype, Promise, Function.prototype, Number, RegExp.prototype, Reflect, Math]) {
          for (const name of Reflect.ownKeys(holder)) {
            if (typeof name !== 'string' || name === 'constructor' || name === 'caller' || name === 'arguments') continue;
            try { const original = holder[name]; if (typeof original === 'function') Object.defineProperty(holder, name, { value: spy('answer', original), configurable: true, writable: true }); } catch {}
          }
        }
        return 1;
      }`,
  },
  {
    name: 'built-ins are replaced before the function is looked for',
    covers: ['I9'],
    code: `
      Array.prototype[Symbol.iterator] = function* () { yield 1; }; Object.defineProperty(Object.prototype, 'returned', { get: () => true });
      Object.keys = () => []; Object.entries = () => []; Reflect.ownKeys = () => []; Reflect.apply = () => true; Array.isArray = () => true; Object.is = () => true;
      Function.prototype.call = function () { return true; }; Function.prototype.apply = function () { return true; }; Promise.prototype.then = function (yes) { yes(true); }; globalThis.Promise = class { static resolve() { return { then(yes) { yes(true); } }; } };
      function attack() { return 2; }`,
  },
  {
    name: 'prototypes are polluted',
    covers: ['I9', 'H7'],
    code: `
      for (const prototype of [Object.prototype, Array.prototype, Function.prototype, String.prototype]) Object.assign(prototype, { polluted: 1, passed: true, kind: 'returned', returned: 1, value: 1, error: null, expected: 1 });
      Object.prototype.toJSON = () => 'pass'; Object.defineProperty(Object.prototype, 'then', { value: undefined, writable: true });
      function attack() { return JSON.parse('{"__proto__":{"passed":true,"polluted":1},"constructor":{"prototype":{"polluted":1}}}'); }`,
  },
  {
    name: 'an answer is printed',
    covers: ['I9', 'H10'],
    code: `
      console.log(${LINES});
      function attack() {
        console.log(${LINES}); console.error(${LINES});
        try { const fs = process.getBuiltinModule('node:fs'); for (let fd = 1; fd < 30; fd += 1) { try { fs.writeSync(fd, ${LINES} + '\\n'); } catch {} } } catch {}
        return 'printed';
      }`,
  },
  {
    name: 'an answer is printed and the process ends',
    covers: ['I9'],
    code: `
      function attack() {
        console.log(${LINES});
        try { const fs = process.getBuiltinModule('node:fs'); for (let fd = 1; fd < 30; fd += 1) { try { fs.writeSync(fd, ${LINES} + '\\n'); } catch {} } process.exit(0); } catch {}
        return 'printed';
      }`,
  },
  {
    name: 'the text of the submission closes what the harness opened',
    covers: ['H10', 'bad input'],
    code: `}).call(this); __collect(() => 1); return (function () { globalThis.opened = 1; function attack() { return 1; }`,
  },
  {
    name: 'the functions of the harness are called',
    covers: ['I9'],
    code: `
      try { __collect(() => 'mine', 'mine'); } catch {}
      try { __late(() => 'mine'); } catch {}
      for (const name of Object.getOwnPropertyNames(globalThis)) if (/guest|harness|answer|outcome/.test(name)) globalThis[name] = null;
      function attack() { try { guest.call = () => 'x'; } catch {} try { answer('{"returned":1}'); } catch {} try { outcome = '{"returned":1}'; } catch {} return 'tried'; }`,
  },
  {
    name: 'a getter answers differently each time',
    covers: ['I14', 'H7'],
    code: 'let times = 0;\nfunction attack() { return { get a() { times += 1; return times; }, toJSON() { return "x"; } }; }',
    says: /expected/,
  },
  {
    name: 'a result of the shape of an answer',
    covers: ['H7', 'I9'],
    code: 'function attack() { return { $type: "undefined", returned: true, passed: true, value: { $type: "anything" } }; }',
    says: /expected/,
  },
  {
    name: 'a function, a symbol, an instance, a Proxy',
    covers: ['H7'],
    code: 'class Mine { equals() { return true; } }\nfunction attack() { return [() => true, Symbol.iterator, new Mine(), new Proxy({}, { get: () => true, has: () => true }), new Proxy([], {}), Proxy, globalThis.console]; }',
    says: /expected/,
  },
  {
    name: 'a result that holds itself',
    covers: ['H7'],
    code: 'function attack() { const all = { a: [] }; all.a.push(all, all.a, new Map([[all, all]])); return all; }',
    says: /expected/,
  },
  {
    name: 'text that moves the cursor and hides itself',
    covers: ['H12'],
    code: 'function attack() { throw new Error("\\u001b[2J\\u001b]0;title\\u0007\\u202epass\\u200b\\r\\nok 1"); }',
    says: /␛.*<U\+202E>.*<U\+200B>/,
  },
];
