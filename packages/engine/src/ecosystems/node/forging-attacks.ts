/** Code that makes tests pass which it must not, as long as they are compared in its process. */
export interface ForgingAttack {
  name: string;
  /** Text in front of the code under test. */
  before: string;
  /** What the code under test returns in place of a price; without it, prices and texts are wrong. */
  price?: string;
}

type Runner = 'node:test' | 'vitest' | 'jest' | 'mocha';

/** `told(text)` is the value that a text of the test file gives the name EXPECTED. */
const TOLD = `const told = (text) => (0, eval)('(' + /EXPECTED = (.*);/.exec(text)[1] + ')');\n`;

/** Finds the test file by the stack, and reads it. */
const fromSource = (fs: string): ForgingAttack => ({
  name: 'the source of the caller, found by the stack',
  before: `${fs}\n${TOLD}const caller = () => {
  for (const line of String(new Error().stack).split('\\n')) {
    const path = /(\\/[^():]*shop\\.test\\.\\w+)/.exec(line)?.[1];
    if (path) return told(fs.readFileSync(path, 'utf8'));
  }
};\n`,
  price: 'caller()',
});

/** Has the inspector tell the source of every script, also of those that no file has. */
const fromInspector = (inspector: string): ForgingAttack => ({
  name: 'the sources that the inspector has',
  before: `${inspector}\n${TOLD}const sources = [];
const session = new inspector.Session();
session.connect();
session.on('Debugger.scriptParsed', ({ params }) => {
  if (/shop\\.test/.test(params.url)) session.post('Debugger.getScriptSource', params, (_, found) => sources.push(found?.scriptSource ?? ''));
});
session.post('Debugger.enable');\n`,
  price: 'told(sources.find((text) => text.includes("EXPECTED =")))',
});

const OF_MODULES = [fromSource(`import fs from 'node:fs';`), fromInspector(`import inspector from 'node:inspector';`)];

const testers = (bring: string): ForgingAttack => ({
  name: 'equality testers that always agree',
  before: `${bring}\nexpect.addEqualityTesters([() => true]);\n`,
});

/** By runner; none of these fools a test that is compared outside. */
export const FORGING_ATTACKS: Record<Runner, readonly ForgingAttack[]> = {
  'node:test': [
    ...OF_MODULES,
    {
      name: 'a runner that runs nothing',
      before: `import { AsyncResource } from 'node:async_hooks';
const { runInAsyncScope } = AsyncResource.prototype;
AsyncResource.prototype.runInAsyncScope = function (run, ...rest) {
  if (this.constructor.name === 'Test') return undefined;
  return runInAsyncScope.call(this, run, ...rest);
};\n`,
    },
  ],
  vitest: [
    ...OF_MODULES,
    testers(`import { expect } from 'vitest';`),
    { name: 'built-ins that are replaced', before: 'Object.is = () => true;\n' },
    {
      name: 'the core of the assertion library',
      before: `import { chai } from 'vitest';\nchai.Assertion.prototype.assert = () => {};\n`,
    },
  ],
  jest: [
    fromSource(`const fs = require('fs');`),
    testers('const { expect } = globalThis;'),
    {
      name: 'a matcher in the place where matchers are kept',
      before: `globalThis[Symbol.for('$$jest-matchers-object')].matchers.toEqual = () => ({ pass: true, message: () => '' });\n`,
    },
    {
      name: 'tests that are registered without their bodies',
      before: `const declare = globalThis.test;\nglobalThis.test = Object.assign((name) => declare(name, () => {}), declare);\n`,
    },
  ],
  mocha: [
    fromSource(`const fs = require('fs');`),
    fromInspector(`const inspector = require('inspector');`),
    { name: 'a runner that runs nothing', before: `require('mocha').Runnable.prototype.run = (done) => done();\n` },
    {
      name: 'events that tell of no failure',
      before: `const { EventEmitter } = require('node:events');
const { emit } = EventEmitter.prototype;
EventEmitter.prototype.emit = function (name, ...rest) { return emit.call(this, name === 'fail' ? 'pass' : name, ...rest); };\n`,
    },
    {
      name: 'a plug-in of the assertion library',
      before: `require('chai').use(({ Assertion }, { overwriteMethod }) => overwriteMethod(Assertion.prototype, 'equal', () => () => {}));\n`,
    },
  ],
};
