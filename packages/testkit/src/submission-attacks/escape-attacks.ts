import { escape, payload, type SubmissionAttack } from './attack.ts';

const RETURN_PROCESS = '("return process")()';

/** Ways out of the realm, to the host: I1 to I7, I11, I15. */
export const ESCAPE_ATTACKS: readonly SubmissionAttack[] = [
  escape(
    'the constructor of the global object makes a function of the host',
    ['I1'],
    [
      `globalThis.constructor.constructor${RETURN_PROCESS}`,
      `this.constructor.constructor${RETURN_PROCESS}`,
      `Function("return this")().constructor.constructor${RETURN_PROCESS}`,
    ],
  ),
  escape(
    'the prototypes of the global object lead to the host',
    ['I1'],
    [
      `Object.getPrototypeOf(globalThis).constructor.constructor${RETURN_PROCESS}`,
      `Object.getPrototypeOf(Object.getPrototypeOf(globalThis)).constructor.constructor${RETURN_PROCESS}`,
      `globalThis.__proto__.__proto__.constructor.constructor${RETURN_PROCESS}`,
      `globalThis.toString.constructor${RETURN_PROCESS}`,
      `globalThis.hasOwnProperty.constructor${RETURN_PROCESS}`,
    ],
  ),
  escape(
    'functions in scope are of the host',
    ['I2'],
    [
      'console.log',
      'setTimeout',
      'structuredClone',
      'queueMicrotask',
      'performance.now',
      'Array',
      'Object',
      'JSON.parse',
      'Math.random',
      'Date',
      'Date.now',
      'parseInt',
      'require',
      'attack',
    ].map((name) => `${name}.constructor${RETURN_PROCESS}`),
  ),
  escape(
    'async and generator functions are of the host',
    ['I2', 'I5'],
    [
      `(async () => {}).constructor${RETURN_PROCESS}`,
      `(function* () {}).constructor("return process")().next().value`,
      `Promise.resolve().constructor.constructor${RETURN_PROCESS}`,
      `import("x").constructor.constructor${RETURN_PROCESS}`,
    ],
  ),
  escape(
    'objects that were given are of the host',
    ['I3'],
    [
      `given.constructor.constructor${RETURN_PROCESS}`,
      `arguments.constructor.constructor${RETURN_PROCESS}`,
      `module.constructor.constructor${RETURN_PROCESS}`,
      `exports.constructor.constructor${RETURN_PROCESS}`,
      `__files.constructor.constructor${RETURN_PROCESS}`,
      `module.constructor._load("node:process")`,
      `require("node:process")`,
      `process`,
      `globalThis.process`,
      `require.main.require("process")`,
    ],
  ),
  escape(
    'errors that the host throws are of the host',
    ['I4'],
    [
      'null.x',
      'console.log(Symbol())',
      'setTimeout(5)',
      'structuredClone(() => 1)',
      'require("node:fs")',
      'new Array(-1)',
      '(function f() { f(); })()',
      '"x".repeat(2 ** 40)',
      'JSON.parse("{")',
      'console.log({ toString: null, valueOf: null })',
      'new RegExp("(")',
      'eval("(")',
    ].map(
      (fault) =>
        `(() => { try { ${fault}; } catch (error) { return error.constructor.constructor${RETURN_PROCESS}; } })()`,
    ),
  ),
  {
    name: 'what the host calls hands it objects of the host',
    covers: ['I6', 'I7'],
    code: (world) => `
      const use = ${payload(world)};
      const seen = [];
      const trap = (...given) => {
        for (const each of [...given, given, trap.caller]) { try { seen.push(use(each.constructor.constructor${RETURN_PROCESS})); } catch (error) { seen.push('no'); } }
        return seen.join();
      };
      function attack() {
        const handler = {};
        for (const name of Reflect.ownKeys(Reflect)) handler[name] = (...given) => { trap(...given); return Reflect[name](...given); };
        const all = { toJSON: trap, valueOf: trap, toString: trap, then: undefined, [Symbol.toPrimitive]: trap, [Symbol.iterator]: trap, [Symbol.for('nodejs.util.inspect.custom')]: trap, get a() { return trap(); } };
        console.log(all, new Proxy(all, handler));
        return [new Proxy(function () {}, handler), new Proxy([1, 2], handler), all];
      }`,
  },
  {
    name: 'an error that runs code when it is looked at',
    covers: ['I4', 'I6', 'I7'],
    code: (world) => `
      const use = ${payload(world)};
      function attack() {
        const trap = (...given) => { try { return use(given.constructor.constructor${RETURN_PROCESS}); } catch { return ${JSON.stringify('x')}; } };
        const error = new Error('outer');
        for (const name of ['name', 'message', 'stack', 'cause', 'code', 'toString', 'constructor', Symbol.for('nodejs.util.inspect.custom')]) Object.defineProperty(error, name, { get: () => trap });
        throw error;
      }`,
  },
  {
    name: 'the text of a stack is made by the submission',
    covers: ['I4', 'I6'],
    code: (world) => `
      const use = ${payload(world)};
      const seen = [];
      Error.prepareStackTrace = (error, sites) => {
        for (const site of sites ?? []) for (const name of ['getThis', 'getFunction']) {
          try { const found = site[name](); seen.push(use(found.constructor.constructor${RETURN_PROCESS})); } catch { seen.push('no'); }
        }
        return seen.join();
      };
      function attack() { const text = new Error('x').stack; try { null.x; } catch (error) { void error.stack; } return [text, seen]; }`,
  },
  {
    name: 'modules are imported',
    covers: ['I11'],
    code: (world) => `
      const use = ${payload(world)};
      async function attack() {
        const seen = [];
        for (const name of ['node:process', 'process', 'data:text/javascript,export default process']) { try { seen.push(use((await import(name)).default)); } catch (error) { seen.push(String(error.message).slice(0, 100)); } }
        return seen;
      }`,
  },
  {
    name: 'the error of a refused import is of the host',
    covers: ['I4', 'I11'],
    code: (world) => `
      const use = ${payload(world)};
      async function attack() { try { await import('node:fs'); } catch (error) { return use(error.constructor.constructor${RETURN_PROCESS}); } }`,
  },
  {
    name: 'threads, WebAssembly and engine internals',
    covers: ['I10', 'I15'],
    code: (world) => `
      const use = ${payload(world)};
      function attack() {
        const seen = [];
        for (const reach of [() => new Worker('x'), () => new SharedWorker('x'), () => WebAssembly.Memory.constructor${RETURN_PROCESS}, () => std.evalFile(${JSON.stringify(world.secretFile)}), () => os.open(${JSON.stringify(world.targetFile)}, 66), () => scriptArgs, () => Deno, () => Bun, () => parentPort, () => quit(), () => load(${JSON.stringify(world.secretFile)}), () => new ShadowRealm().evaluate('process')]) {
          try { const found = reach(); seen.push(typeof found); seen.push(use(found)); } catch (error) { seen.push('no'); }
        }
        return seen;
      }`,
  },
  {
    name: 'the process of the judge is ended',
    covers: ['bad input: process.exit'],
    code: `function attack() {
      const end = globalThis.constructor.constructor('return process')();
      end.kill(end.pid, 'SIGKILL');
      return 'ended';
    }`,
  },
  {
    name: 'process.exit',
    covers: ['bad input: process.exit'],
    code: 'function attack() { process.exit(0); }',
    says: /process'? is not defined|ended|exit/,
  },
  {
    name: 'process.exit at the top',
    covers: ['bad input: process.exit'],
    code: 'process.exit(0);\nfunction attack() {}',
    says: /process'? is not defined|ended|exit/,
  },
];
