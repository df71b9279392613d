import { isCall, isMember, propertyOf } from '../syntax.mjs';
import { originOf } from '../read-registration.mjs';

/** Words of a chain that are no assertion by themselves. */
export const CHAI_LINKS =
  /^(to|be|been|is|that|which|and|has|have|with|at|of|same|but|does|still|also|not|deep|nested|own|ordered|any|all)$/;
const TERMINALS = new Set(
  (
    'equal equals eq eql eqls true false null undefined ok NaN exist empty a an include includes contain contains length lengthOf match ' +
    'matches throw throws Throw property keys key members above gt greaterThan below lt lessThan least gte most lte within closeTo ' +
    'approximately instanceof instanceOf string oneOf'
  ).split(' '),
);
export const isChaiTerminal = (name) => TERMINALS.has(name);

/** Methods of chai's `assert`, as a chain, with how many arguments say what is expected. */
const ASSERTS = {
  equal: ['looseEqual', 1],
  notEqual: ['not.looseEqual', 1],
  strictEqual: ['equal', 1],
  notStrictEqual: ['not.equal', 1],
  deepEqual: ['eql', 1],
  deepStrictEqual: ['eql', 1],
  notDeepEqual: ['not.eql', 1],
  isTrue: ['true', 0],
  isFalse: ['false', 0],
  isNotTrue: ['not.true', 0],
  isNotFalse: ['not.false', 0],
  isOk: ['ok', 0],
  ok: ['ok', 0],
  isNotOk: ['not.ok', 0],
  notOk: ['not.ok', 0],
  isNull: ['null', 0],
  isNotNull: ['not.null', 0],
  isUndefined: ['undefined', 0],
  isDefined: ['not.undefined', 0],
  isNaN: ['NaN', 0],
  exists: ['exist', 0],
  notExists: ['not.exist', 0],
  isEmpty: ['empty', 0],
  isNotEmpty: ['not.empty', 0],
  isAbove: ['above', 1],
  isAtLeast: ['least', 1],
  isBelow: ['below', 1],
  isAtMost: ['most', 1],
  closeTo: ['closeTo', 2],
  typeOf: ['a', 1],
  instanceOf: ['instanceof', 1],
  include: ['include', 1],
  notInclude: ['not.include', 1],
  deepInclude: ['deep.include', 1],
  match: ['match', 1],
  notMatch: ['not.match', 1],
  lengthOf: ['lengthOf', 1],
  property: ['property', 1],
  notProperty: ['not.property', 1],
  propertyVal: ['property', 2],
  sameMembers: ['members', 1],
  sameDeepMembers: ['deep.members', 1],
  oneOf: ['oneOf', 1],
  throws: ['throw', 2],
  throw: ['throw', 2],
  Throw: ['throw', 2],
  doesNotThrow: ['not.throw', 0],
};
for (const [name, type] of Object.entries({
  isString: 'string',
  isNumber: 'number',
  isBoolean: 'boolean',
  isArray: 'array',
  isObject: 'object',
  isFunction: 'function',
}))
  ASSERTS[name] = ['a', 0, type];

/** Reads `assert.isTrue(a)` of chai. */
export function readChaiAssert(node, { runner }) {
  if (!isCall(node)) return null;
  const { callee } = node;
  const owner = isMember(callee) ? callee.object : callee;
  if (owner.type !== 'Identifier') return null;
  const origin = originOf(owner.binding);
  const isChai =
    origin !== null && origin.imported === 'assert' && (/chai/.test(origin.source) || origin.source === 'vitest');
  if (!isChai && !isAssertOfChai(owner) && !(runner === 'mocha' && owner.name === 'assert' && owner.binding === null))
    return null;
  const name = isMember(callee) ? propertyOf(callee) : 'ok';
  const form = `assert.${name}`.slice(0, 100);
  if (name === 'fail') return null;
  const entry = Object.hasOwn(ASSERTS, name) ? ASSERTS[name] : undefined;
  const args = node.arguments;
  if (entry === undefined || args.length === 0 || args.some(({ type }) => type === 'SpreadElement'))
    return { node, form, native: 'an assertion nobody knows' };
  const [chain, count, type] = entry;
  const words = chain.split('.');
  const isThrow = words.includes('throw');
  const expected = args.slice(1, 1 + count);
  const links = words.map((word, index) => [word, index === words.length - 1 ? expected.length : -1]);
  if (type !== undefined) links[links.length - 1] = [`${words[0]} ${type}`, -1];
  return {
    node,
    form,
    call: isThrow ? (words.includes('not') ? 'quiet' : 'throws') : 'value',
    actual: args[0],
    expected,
    isThrow,
    plan: { kind: 'chai', links },
  };
}

/** `const { assert } = chai`, `const assert = chai.assert` */
function isAssertOfChai({ name, binding }) {
  const init = binding?.declarator?.init;
  if (name !== 'assert' || !init) return false;
  const owner = isMember(init) ? init.object : init;
  return owner.type === 'Identifier' && /chai/.test(originOf(owner.binding)?.source ?? '');
}
