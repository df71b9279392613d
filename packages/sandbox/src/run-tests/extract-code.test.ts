import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extractCode } from './extract-code.ts';

const F = '```';

test('a text without fences stays as it is', () => {
  assert.equal(
    extractCode('def add(a, b):\r\n  return a + b\r\n', 'python', 'add'),
    'def add(a, b):\r\n  return a + b\r\n',
  );
});

test('what does not count is blank, so that lines keep their numbers', () => {
  assert.equal(extractCode(`one\n${F}js\nfunction add() {}\n${F}\nfive`, 'javascript', 'add'), '\n\nfunction add() {}');
});

test('the fence that names the language wins, then the one without a name', () => {
  const text = `${F}python\ndef add(): pass\n${F}\n${F}js\nfunction add() {}\n${F}\n${F}\nadd = 1\n${F}`;
  assert.equal(extractCode(text, 'python', 'add').trim(), 'def add(): pass');
  assert.equal(extractCode(text, 'javascript', 'add').trim(), 'function add() {}');
  assert.equal(extractCode(text, 'go', 'add').trim(), 'add = 1');
});

test('the last definition wins; blocks without one are joined', () => {
  assert.equal(
    extractCode(
      `${F}js\nconst add = 1;\n${F}\n${F}js\nconst add = 2;\n${F}\n${F}js\nadd(1);\n${F}`,
      'javascript',
      'add',
    ).trim(),
    'const add = 2;',
  );
  assert.equal(
    extractCode(`${F}js\nconst x = 1;\n${F}\n${F}js\nmodule.exports = () => x;\n${F}`, 'javascript', 'add')
      .replace(/\n+/g, '\n')
      .trim(),
    'const x = 1;\nmodule.exports = () => x;',
  );
  for (const definition of [
    'def add(a):',
    'func add(a int) int {',
    'fn add(a: i64) -> i64 {',
    'static add(a) {',
    'add: (a) => a',
    'add(a, b) {',
    'exports.add = 1',
    'async add(a) {',
  ]) {
    assert.ok(
      extractCode(`${F}\n${definition}\n${F}\n${F}\nother\n${F}`, 'rust', 'add').endsWith(definition),
      definition,
    );
  }
});

test('only the last part of a path is looked for', () => {
  assert.equal(
    extractCode(
      `${F}js\nclass Solution { add(a) { } }\n${F}\n${F}js\nnew Solution().add(1)\n${F}`,
      'javascript',
      'Solution.add',
    ).trim(),
    'class Solution { add(a) { } }',
  );
});

test('a longer fence holds a shorter one', () => {
  assert.equal(extractCode(`~~~~js\n~~~\nfunction add() {}\n~~~~`, 'javascript', 'add'), '\n~~~\nfunction add() {}');
});

test('fences inside code that is not fenced itself are part of it', () => {
  const code = `function add() {\n  return \`\n${F}js\nexample\n${F}\n\`;\n}`;
  assert.equal(extractCode(code, 'javascript', 'add'), code);
});

test('hostile texts do not stop it', () => {
  for (const text of [
    `${F}${' '.repeat(1e6)}x`,
    `${F}\n`.repeat(100_000),
    `${F}js\n${'add('.repeat(1e6)}`,
    `${F}js\n${'add'.repeat(1e6)}\n${'('.repeat(1e6)}`,
  ])
    extractCode(text, 'javascript', 'add');
});
