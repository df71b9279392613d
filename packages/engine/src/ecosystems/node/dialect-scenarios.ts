/** How tests of a runner are written. */
export interface SplitDialect {
  /** Text in front of the test file, on one line: defines `describe`, `test` and what asserts, and brings `lib`. */
  head: string;
  path: string;
  library: 'lib.mjs' | 'lib.cjs';
  equal(actual: string, expected: string): string;
  isTrue(actual: string): string;
  throws(run: string, message: string): string;
  rejects(promise: string, message: string): string;
  contains(actual: string, text: string): string;
  identity(one: string, other: string): string;
  /** How a test is made for each row of a table. */
  tables: 'each' | 'loop';
  /** Code of a library that turns every assertion of the process into none. */
  disarm: string;
  /** An object that equals every other; null when what asserts takes none. */
  chameleon: string | null;
}

const ASSERT: Omit<SplitDialect, 'head' | 'disarm' | 'chameleon'> = {
  path: 'test/shop.test.mjs',
  library: 'lib.mjs',
  equal: (actual, expected) => `assert.deepEqual(${actual}, ${expected}, 'tells the answer');`,
  isTrue: (actual) => `assert.ok(${actual});`,
  throws: (run, message) => `assert.throws(${run}, { name: 'RangeError', message: /${message}/ });`,
  rejects: (promise, message) => `await assert.rejects(${promise}, new RegExp('${message}'));`,
  contains: (actual, text) => `assert.match(${actual}, /${text}/);`,
  identity: (one, other) => `assert.equal(${one}, ${other});`,
  tables: 'loop',
};
const EXPECT: Omit<SplitDialect, 'head' | 'disarm' | 'chameleon'> = {
  path: 'test/shop.test.mjs',
  library: 'lib.mjs',
  equal: (actual, expected) => `expect(${actual}, 'tells the answer').toEqual(${expected});`,
  isTrue: (actual) => `expect(${actual}).toBe(true);`,
  throws: (run, message) => `expect(${run}).toThrow('${message}');`,
  rejects: (promise, message) => `await expect(${promise}).rejects.toThrow(/${message}/);`,
  contains: (actual, text) => `expect(${actual}).toContain('${text}');`,
  identity: (one, other) => `expect(${one}).toBe(${other});`,
  tables: 'each',
};

/** How tests of each runner are written. */
export const SPLIT_DIALECTS: Record<'node:test' | 'vitest' | 'jest' | 'mocha', SplitDialect> = {
  'node:test': {
    ...ASSERT,
    head: `import { test, describe } from 'node:test'; import assert from 'node:assert/strict'; import * as lib from '../lib.mjs';`,
    disarm: `import assert from 'node:assert/strict'; for (const name of Object.keys(assert)) if (name !== 'strict') assert[name] = () => {};\n`,
    chameleon: null,
  },
  vitest: {
    ...EXPECT,
    head: `import { test, describe, expect } from 'vitest'; import * as lib from '../lib.mjs';`,
    disarm: `import { expect } from 'vitest'; expect.extend({ toEqual: () => ({ pass: true, message: () => '' }) });\n`,
    chameleon: `({ $$typeof: Symbol.for('jest.asymmetricMatcher'), asymmetricMatch: () => true })`,
  },
  jest: {
    ...EXPECT,
    path: 'test/shop.test.js',
    library: 'lib.cjs',
    equal: (actual, expected) => `expect(${actual}).toEqual(${expected});`,
    head: `/* tells the answer */ const lib = require('../lib.cjs');`,
    disarm: `if (globalThis.expect) expect.extend({ toEqual: () => ({ pass: true, message: () => '' }) });\n`,
    chameleon: `({ $$typeof: Symbol.for('jest.asymmetricMatcher'), asymmetricMatch: () => true })`,
  },
  mocha: {
    ...EXPECT,
    path: 'test/shop.test.cjs',
    library: 'lib.cjs',
    equal: (actual, expected) => `expect(${actual}).to.deep.equal(${expected}, 'tells the answer');`,
    isTrue: (actual) => `expect(${actual}).to.be.true;`,
    throws: (run, message) => `expect(${run}).to.throw(RangeError, '${message}');`,
    rejects: (promise, message) => `await assert.rejects(${promise}, /${message}/);`,
    contains: (actual, text) => `expect(${actual}).to.include('${text}');`,
    identity: (one, other) => `expect(${one}).to.equal(${other});`,
    tables: 'loop',
    head: `const { expect } = require('chai'); const assert = require('node:assert/strict'); const test = it; const lib = require('../lib.cjs');`,
    disarm: `require('chai').Assertion.prototype.assert = () => {};\n`,
    chameleon: null,
  },
};
