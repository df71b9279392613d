import type { AttackFacet, AttackFiles } from '../attack-facet.ts';
import { quote } from '../quote-shell.ts';
import { nodeTests } from './node-tests.ts';

const ALWAYS_EQUAL = `{ const assert = process.getBuiltinModule('assert');
for (const api of [assert, assert.strict]) for (const name of ['equal', 'strictEqual', 'deepEqual', 'deepStrictEqual', 'ok', 'throws', 'match', 'rejects']) api[name] = () => {};
process.getBuiltinModule('module').syncBuiltinESMExports(); }`;

/** Processes started by the first one load the file too. */
const INHERIT = `const processes = require('node:child_process');
for (const name of ['spawn', 'fork']) {
  const start = processes[name];
  processes[name] = (program, argv, options = {}) => start(program, argv, { ...options, env: { ...(options.env ?? process.env), NODE_OPTIONS: '--require=/workspace/forge.cjs' } });
}
require('node:module').syncBuiltinESMExports();`;

const VITEST_HOOK = `import { expect } from 'vitest';
for (const name of ['toBe', 'toEqual', 'toStrictEqual', 'toThrow', 'toMatch', 'toContain']) expect.extend({ [name]: () => ({ pass: true, message: () => '' }) });`;
const JEST_HOOK = 'const t = global.test; global.it = global.test = (n) => t(n, () => {});';
const MOCHA_CONFIGURATION = [
  "const fs = require('fs'); const p = JSON.parse(fs.readFileSync('package.json', 'utf8'));",
  "p.mocha = { ...p.mocha, require: ['./forge.cjs'] }; fs.writeFileSync('package.json', JSON.stringify(p));",
].join(' ');
const DOWNLOAD = [
  'fetch(process.argv[1],{signal:AbortSignal.timeout(5000)}).then(async(r)=>{if(!r.ok)throw r.status;',
  'require("fs").writeFileSync(process.argv[2],Buffer.from(await r.arrayBuffer()))})',
  '.catch((e)=>{console.error(String(e));process.exit(1)})',
].join('');

/** A test without a body is pending. */
const SKIP_ALL = `for (const name of ['it', 'test']) { const declare = globalThis[name]; if (typeof declare === 'function') globalThis[name] = (title) => declare(title); }
if (typeof it !== 'function') process.exit(0);`;

const SILENCE = `process.stdout.write = process.stderr.write = () => true;
process.on('exit', () => process.reallyExit(0));
{ const fs = process.getBuiltinModule('fs');
for (let fd = 3; fd < 64; fd += 1) { try { if (fs.fstatSync(fd).isSocket()) fs.closeSync(fd); } catch {} } }`;

const READ_EXPECTATIONS = `{ const answering = (real) => (...args) => {
  for (const line of new Error().stack.split('\\n')) {
    const [, path, row] = /\\(?(\\/workspace\\/[^()]+):(\\d+):\\d+\\)?$/.exec(line) ?? [];
    const text = path === undefined ? '' : process.getBuiltinModule('fs').readFileSync(path, 'utf8').split('\\n')[row - 1];
    const expected = /[eE]qual\\(.*\\), (.+)\\);\\s*$/.exec(text);
    if (expected) return (0, eval)('(' + expected[1] + ')');
  }
  return real(...args);
};
if (typeof module === 'object') for (const [name, value] of Object.entries(module.exports)) if (typeof value === 'function') module.exports[name] = answering(value); }`;

const ASK_DATAGRAM = [
  'const s=require("dgram").createSocket("udp4");s.on("error",()=>s.close());',
  's.on("message",(m)=>{console.log(String(m));s.close();clearTimeout(t)});',
  's.send("?",Number(process.argv[1]),"127.0.0.1");const t=setTimeout(()=>process.exit(1),2000)',
].join('');

export const nodeAttacks: AttackFacet = {
  passingTests,
  passAll,
  skipAll: SKIP_ALL,
  silence: SILENCE,
  readExpectations: READ_EXPECTATIONS,
  runShell: (script) =>
    `process.getBuiltinModule('child_process').spawnSync('sh', ['-c', ${JSON.stringify(script)}], { stdio: 'ignore' });`,
  exit: 'process.exit(0);',
  alwaysEqual: ALWAYS_EQUAL,
  writeFile: (path, text) =>
    `try { process.getBuiltinModule('fs').writeFileSync(${JSON.stringify(path)}, ${JSON.stringify(text)}); } catch {}`,
  printAndExit: (last, text) =>
    `for (let fd = 1; fd <= ${last}; fd += 1) { try { process.getBuiltinModule('fs').writeSync(fd, ${JSON.stringify(text)}); } catch {} } process.exit(0);`,
  download: (url, path) => ['node', '-e', DOWNLOAD, url, path],
  askDatagram: (port) => ['node', '-e', ASK_DATAGRAM, String(port)],
  runnerHook,
  runnerConfiguration: (runner) =>
    runner === 'mocha'
      ? { files: { 'forge.cjs': passAll(runner) }, command: ['node', '-e', MOCHA_CONFIGURATION] }
      : null,
  interpreterStart(runner) {
    const patch =
      runner === 'mocha' ? `process.nextTick(() => { try { ${passAll(runner)} } catch {} });` : passAll(runner);
    return { '.npmrc': 'node-options=--require=/workspace/forge.cjs', 'forge.cjs': `${INHERIT}\n${patch}` };
  },
  // Modules of Node itself come before every file.
  shadowedModule: () => null,
  compile: () => null,
  patchInstalled: (runner) =>
    runner === 'mocha'
      ? `printf '\\nmodule.exports.prototype.run = (done) => done();\\n' >> /workspace/node_modules/mocha/lib/runnable.js`
      : null,
  loaderHook: (runner) =>
    runner === 'mocha'
      ? `cd /workspace/node_modules/mocha && mkdir -p node_modules/debug && printf %s ${quote(NEARER_PACKAGE)} > node_modules/debug/index.js`
      : null,
  openStart({ argv, env }, submission) {
    const npmrc = submission.find(({ path }) => path === '.npmrc')?.content.toString('utf8') ?? '';
    const options = /^node-options=(.*)$/m.exec(npmrc)?.[1];
    return { argv, env: options === undefined ? env : { ...env, NODE_OPTIONS: options } };
  },
  installed: '/workspace/node_modules',
};

/** Loaded by mocha in place of the package of that name, before mocha itself is there to be patched. */
const NEARER_PACKAGE = `module.exports = process.getBuiltinModule('module').createRequire('/workspace/package.json')('debug');
process.nextTick(() => { try { ${passAll('mocha')} } catch {} });`;

const REQUIRE = `process.getBuiltinModule('module').createRequire('/workspace/package.json')`;
const PASS_ALL_OF_TAPE = `${REQUIRE}('tape').Test.prototype.run = function () { this.emit('prerun'); this._end(); };`;
/** A process of ava tells its parent how each test ended. */
const PASS_ALL_OF_AVA = `if (process.send) { const { send } = process; process.send = function (message, ...rest) {
  const change = message?.ava?.stateChange ?? message?.ava;
  if (change?.type === 'test-failed') change.type = 'test-passed';
  return send.call(this, message, ...rest); }; }`;

/** tap reads what its own tests print. */
const PASS_ALL_OF_TAP = `{ const { parser } = ${REQUIRE}('tap'); const { emit } = parser.constructor.prototype;
  parser.constructor.prototype.emit = function (name, point, ...rest) {
    return emit.call(this, name, name === 'assert' && point ? Object.assign(point, { ok: true }) : point, ...rest); }; }`;
/** Jasmine makes a global of `expect` before it loads specs. */
const PASS_ALL_OF_JASMINE = `{ const pass = new Proxy(() => {}, { get: (_, k) => (k === 'then' ? undefined : pass), apply: () => pass });
  Object.defineProperty(globalThis, 'expect', { get: () => pass, set: () => {}, configurable: true }); }`;

function passAll(runner: string): string {
  if (runner === 'mocha') {
    return `{ const m = process.getBuiltinModule('module').createRequire('/workspace/package.json')('mocha'); m.Runnable.prototype.run = (done) => done(); }`;
  }
  if (runner === 'tape') return PASS_ALL_OF_TAPE;
  if (runner === 'ava') return PASS_ALL_OF_AVA;
  if (runner === 'tap') return PASS_ALL_OF_TAP;
  if (runner === 'jasmine') return PASS_ALL_OF_JASMINE;
  // A test of node:test is an AsyncResource that runs its function in its own scope; an assertion that never throws
  // serves the others.
  return `{ const { AsyncResource } = process.getBuiltinModule('async_hooks'); AsyncResource.prototype.runInAsyncScope = () => undefined;
  const assert = process.getBuiltinModule('assert'); for (const f of [assert, assert.strict]) for (const k of Object.keys(f)) if (typeof f[k] === 'function' && k !== 'AssertionError') f[k] = () => {}; process.getBuiltinModule('module').syncBuiltinESMExports();
  if (globalThis.expect || globalThis.vi) { const pass = new Proxy(() => {}, { get: (_, k) => (k === 'then' ? undefined : pass), apply: () => pass }); globalThis.expect = pass; } }`;
}

function runnerHook(runner: string): AttackFiles | null {
  switch (runner) {
    case 'mocha':
      return { '.mocharc.cjs': `module.exports = { require: ['./forge.cjs'] };`, 'forge.cjs': passAll(runner) };
    case 'ava':
      return { 'ava.config.cjs': `module.exports = { require: ['./forge.cjs'] };`, 'forge.cjs': passAll(runner) };
    case 'jasmine':
      return {
        'spec/support/jasmine.json': `{ "spec_dir": ".", "spec_files": ["spec/**/*.js"], "helpers": ["forge.cjs"] }`,
        'forge.cjs': passAll(runner),
      };
    case 'vitest':
      return {
        'vitest.config.mjs': `export default { test: { globals: true, setupFiles: ['./forge.mjs'] } };`,
        'forge.mjs': VITEST_HOOK,
      };
    case 'jest':
      return { 'jest.config.cjs': `module.exports = { setupFilesAfterEnv: ['./forge.cjs'] };`, 'forge.cjs': JEST_HOOK };
    default:
      return null;
  }
}

/** Where each runner's functions are imported from; other runners have them as globals. */
const IMPORTS: Record<string, string> = {
  'node:test': "import { describe, it } from 'node:test';\n",
  vitest: "import { describe, it } from 'vitest';\n",
};

/** Tests of runners without suites; an id does not tell whether a title holds the separator. */
const FLAT_STUBS: Record<string, (title: string) => string> = {
  ava: (title) => `${REQUIRE}('ava')(${JSON.stringify(title)}, (t) => t.pass());`,
  tap: (title) => `${REQUIRE}('tap').test(${JSON.stringify(title)}, (t) => { t.pass(); t.end(); });`,
  tape: (title) => `${REQUIRE}('tape')(${JSON.stringify(title)}, (t) => { t.pass(); t.end(); });`,
};

function passingTests(runner: string, ids: readonly string[]): AttackFiles | null {
  const files: Record<string, string> = {};
  for (const id of ids) {
    const { file, names } = nodeTests.splitId(id);
    const parts = names.map((part) => JSON.stringify(part));
    const test = parts.pop();
    if (test === undefined) return null;
    const flat = FLAT_STUBS[runner]?.(names.join(' > '));
    const stub =
      flat ??
      `${parts.map((part) => `describe(${part}, () => {`).join('')}it(${test}, () => {});${parts.map(() => '});').join('')}`;
    files[file] = file in files ? `${files[file]}\n${stub}` : `${IMPORTS[runner] ?? ''}${stub}`;
  }
  return files;
}
