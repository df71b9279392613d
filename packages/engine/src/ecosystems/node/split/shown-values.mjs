import { evaluate } from './comparison.mjs';
import { findTests } from './find-tests.mjs';
import { baseOfTest } from './match-ids.mjs';
import { CODE, parseSource } from './parse-source.mjs';
import { printPure } from './print-pure.mjs';
import { bare, isFunction, walk } from './syntax.mjs';

const SHOWN =
  /^(StringLiteral|NumericLiteral|BigIntLiteral|TemplateLiteral|ArrayExpression|ObjectExpression|RegExpLiteral|NewExpression|UnaryExpression|BinaryExpression|CallExpression)$/;
const MAX_SHOWN = 400;
const MAX_TEXT = 4 * 1024 * 1024;
const SCOPE = { isExpected: () => false, matching: () => false };

/**
 * Returns a function from a stripped test, by its id without rows, to the values that its text shows and those that
 * stand outside of functions in its file: `{name, make}`.
 */
export function shownValues(files) {
  const byTest = new Map();
  for (const file of files) {
    const source = tryParse(file);
    if (source === null) continue;
    const outer = valuesBelow(source.program, (node) => isFunction(node));
    for (const runner of ['vitest', 'node:test']) {
      for (const test of findTests(source, runner).tests) {
        const own = test.levels.flatMap(({ call }, index) =>
          valuesBelow(call, index < test.levels.length - 1 ? isFunction : () => false),
        );
        byTest.set(baseOfStripped(file.path, test), [...own, ...outer].slice(0, MAX_SHOWN));
      }
    }
  }
  return (base) => byTest.get(base) ?? [];
}

/** In a stripped file the titles are the numbers. */
function baseOfStripped(path, { levels }) {
  return baseOfTest({ path, levels: levels.map(({ pattern, number }) => ({ number: pattern.text ?? number })) });
}

function tryParse(file) {
  if (!CODE.test(file.path)) return null;
  try {
    return parseSource(file);
  } catch {
    return null;
  }
}

function valuesBelow(root, isLeftOut) {
  const found = new Map();
  walk(root, (node) => {
    if (node !== root && isLeftOut(node)) return false;
    if (!SHOWN.test(bare(node).type) || found.size >= MAX_SHOWN) return true;
    const code = printPure(node, SCOPE);
    if (code !== null && !found.has(code)) found.set(code, { name: code, make: () => evaluate(code, {}) });
    return true;
  });
  return [...found.values()];
}

/** Every text that stands in files. */
export function textsOf(files) {
  const texts = new Set();
  let length = 0;
  const add = (text) => {
    if (texts.has(text) || length > MAX_TEXT) return;
    texts.add(text);
    length += text.length;
  };
  for (const file of files) {
    const source = tryParse(file);
    if (source === null) {
      for (const [, , text] of file.text.matchAll(/(["'`])((?:\\[^]|(?!\1)[^\\])*)\1/g)) add(text);
      continue;
    }
    walk(source.program, (node) => {
      if (node.type === 'StringLiteral' || node.type === 'JSXText') add(node.value);
      if (node.type === 'TemplateElement') add(node.value.cooked ?? node.value.raw);
      return true;
    });
  }
  return texts;
}
