import { bare, isCall, isMember, propertyOf } from '../syntax.mjs';
import { originOf } from '../read-registration.mjs';

const STRICT = {
  equal: 'strictEqual',
  notEqual: 'notStrictEqual',
  deepEqual: 'deepStrictEqual',
  notDeepEqual: 'notDeepStrictEqual',
};
/** Number of arguments before the message. */
const METHODS = {
  ok: 1,
  equal: 2,
  notEqual: 2,
  strictEqual: 2,
  notStrictEqual: 2,
  deepEqual: 2,
  notDeepEqual: 2,
  deepStrictEqual: 2,
  notDeepStrictEqual: 2,
  partialDeepStrictEqual: 2,
  match: 2,
  doesNotMatch: 2,
  ifError: 1,
  throws: 2,
  rejects: 2,
  doesNotThrow: 1,
  doesNotReject: 1,
};
const CALLS = { throws: 'throws', rejects: 'rejects', doesNotThrow: 'quiet', doesNotReject: 'resolves' };
const OBJECTS = /^(ArrayExpression|ObjectExpression|NewExpression|RegExpLiteral)$/;

/** Reads `assert.deepEqual(a, b)` of node. */
export function readNodeAssert(node, context) {
  if (!isCall(node)) return null;
  const found = methodOf(node.callee, context);
  if (found === null) return null;
  const name = found.isStrict ? (STRICT[found.name] ?? found.name) : found.name;
  const form = `assert.${found.name}`.slice(0, 100);
  if (name === 'fail') return null;
  const args = node.arguments;
  const count = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (count === undefined) return { node, form, native: 'an assertion nobody knows' };
  if (args.length === 0 || args.some(({ type }) => type === 'SpreadElement'))
    return { node, form, native: 'arguments nobody knows' };
  const call = CALLS[name] ?? 'value';
  const operands = args.slice(0, count);
  const isIdentity = /^(not)?(S|s)trictEqual$|^(notE|e)qual$/.test(name);
  if (isIdentity && operands.some((each) => OBJECTS.test(bare(each).type)))
    return { node, form, native: 'compared by identity' };
  return {
    node,
    form,
    call,
    actual: operands[0],
    expected: operands.slice(1),
    isThrow: call !== 'value',
    isSymmetric: call === 'value',
    plan: { kind: 'assert', method: name },
  };
}

/** `assert`, `assert.x`, `assert.strict.x`, an imported `x`, `t.assert.x`. */
function methodOf(callee, { runner }) {
  if (callee.type === 'Identifier') {
    const origin = assertOrigin(callee.binding);
    if (origin === null) return null;
    const isWhole = /^(\*|default|strict|ok)$/.test(origin.imported);
    return { name: isWhole ? 'ok' : origin.imported, isStrict: origin.isStrict };
  }
  if (!isMember(callee)) return null;
  const name = propertyOf(callee);
  const { object } = callee;
  if (isMember(object) && object.object.type === 'Identifier') {
    const inner = propertyOf(object);
    if (inner === 'strict' && assertOrigin(object.object.binding)) return { name, isStrict: true };
    const isContext = runner === 'node:test' && inner === 'assert' && object.object.binding?.kind === 'param';
    return isContext && Object.hasOwn(METHODS, name ?? '') ? { name, isStrict: true } : null;
  }
  if (object.type !== 'Identifier') return null;
  const origin = assertOrigin(object.binding);
  return origin && { name, isStrict: origin.isStrict };
}

function assertOrigin(binding) {
  const origin = originOf(binding);
  if (origin === null || !/^(node:)?assert(\/strict)?$/.test(origin.source)) return null;
  return { imported: origin.imported, isStrict: /strict$/.test(origin.source) || origin.imported === 'strict' };
}
