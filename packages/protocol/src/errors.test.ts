import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssayError, ERRORS, type ErrorCode } from './errors.ts';

const CODES = Object.keys(ERRORS) as ErrorCode[];
const KINDS = ['user', 'task', 'agent', 'infrastructure', 'machine', 'bug'];
const detailsOf = (code: ErrorCode): string[] =>
  Array.from(ERRORS[code].message.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);

describe('the catalogue of errors', () => {
  for (const code of CODES) {
    test(`${code} has a kind, a message of one line, and takes its details`, () => {
      assert.match(code, /^[A-Z]+(_[A-Z]+)*$/);
      assert.ok(KINDS.includes(ERRORS[code].kind));
      const details = Object.fromEntries(detailsOf(code).map((name) => [name, `<${name}>`]));
      const error = new AssayError(code, details);
      assert.equal(error.message, ERRORS[code].message.replaceAll('{', '<').replaceAll('}', '>'));
      assert.doesNotMatch(error.message, /\n/);
      assert.deepEqual([error.code, error.kind, error.details], [code, ERRORS[code].kind, details]);
    });
  }

  test('two errors never say the same', () => {
    assert.equal(new Set(CODES.map((code) => ERRORS[code].message)).size, CODES.length);
  });
});

describe('an AssayError', () => {
  test('leaves out a detail that is missing, and the blank before it', () => {
    assert.equal(new AssayError('NO_PROVIDER').message, 'this machine offers no sandbox.');
  });

  test('fills a detail once, and never what a detail holds', () => {
    const { message } = new AssayError('BAD_OPTION', { option: '{detail}', detail: '$& {option}' });
    assert.equal(message, '{detail}: $& {option}');
  });

  test('keeps its cause', () => {
    const cause = new Error('before');
    assert.equal(new AssayError('INTERRUPTED', {}, { cause }).cause, cause);
  });

  test('is known to another copy of this module, and nothing else is', async () => {
    const url = new URL('errors.ts?another-copy', import.meta.url).href;
    const copy = (await import(url)) as { AssayError: typeof AssayError };
    assert.notEqual(copy.AssayError, AssayError);
    assert.ok(AssayError.is(new copy.AssayError('INTERRUPTED')));
    for (const other of [new Error('x'), { code: 'INTERRUPTED' }, null, undefined, 'INTERRUPTED'])
      assert.equal(AssayError.is(other), false);
  });
});
