import assert from 'node:assert/strict';
import { test } from 'node:test';
import { functionNameProblem } from './function-name.ts';

test('identifiers, and identifiers joined by dots, are names of functions', () => {
  for (const name of ['f', 'deepMerge', '_private', '$', 'grüße', 'Solution.merge', 'a.b.c', 'a'.repeat(200)])
    assert.equal(functionNameProblem(name), null, name);
});

test('whatever is code, or leads to the language itself, is none', () => {
  const code = [
    '(()=>1)',
    'f()',
    'a b',
    'a;b',
    'a\nb',
    'a-b',
    '1a',
    'a[0]',
    '`a`',
    "a'",
    'a//b',
    'a\\u0062',
    'a\u200bb',
  ];
  const dots = ['', '.', 'a.', '.a', 'a..b'];
  const language = ['constructor', 'a.__proto__', 'eval', 'import', 'globalThis.f', 'a.prototype.b', 'this'];
  for (const name of [...code, ...dots, ...language, 'a'.repeat(201)])
    assert.notEqual(functionNameProblem(name), null, JSON.stringify(name));
});
