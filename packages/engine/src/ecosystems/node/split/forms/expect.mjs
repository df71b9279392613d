import { bare, isCall, isMember, propertyOf } from '../syntax.mjs';
import { originOf } from '../read-registration.mjs';
import { CHAI_LINKS, isChaiTerminal } from './chai.mjs';
import { isTypeOnly } from './type-only.mjs';

/** Number of arguments that say what is expected; what comes after is a message. */
const MATCHERS = new Map(
  Object.entries({
    toBe: 1,
    toEqual: 1,
    toStrictEqual: 1,
    toMatchObject: 1,
    toContain: 1,
    toContainEqual: 1,
    toHaveLength: 1,
    toMatch: 1,
    toHaveProperty: 2,
    toBeTruthy: 0,
    toBeFalsy: 0,
    toBeNull: 0,
    toBeUndefined: 0,
    toBeDefined: 0,
    toBeNaN: 0,
    toBeNullable: 0,
    toBeCloseTo: 2,
    toBeGreaterThan: 1,
    toBeGreaterThanOrEqual: 1,
    toBeLessThan: 1,
    toBeLessThanOrEqual: 1,
    toBeInstanceOf: 1,
    toBeTypeOf: 1,
    toBeOneOf: 1,
    toThrow: 1,
    toThrowError: 1,
    toMatchInlineSnapshot: 1,
    toThrowErrorMatchingInlineSnapshot: 1,
    toMatchSnapshot: 1,
    toThrowErrorMatchingSnapshot: 1,
  }),
);
const THROWS = /^toThrow/;
const OBJECTS =
  /^(ArrayExpression|ObjectExpression|NewExpression|RegExpLiteral|ArrowFunctionExpression|FunctionExpression)$/;

/** Whether an identifier is an `expect`: `jest` (also vitest's), `chai`, or null. */
export function expectKind(node, runner) {
  if (node.type !== 'Identifier') return null;
  const origin = originOf(node.binding);
  if (origin !== null) {
    if (origin.imported !== 'expect' && !(origin.imported === 'default' && /expect/.test(origin.source))) {
      return origin.imported === '*' && origin.source === 'expect' ? 'jest' : null;
    }
    if (/chai/.test(origin.source)) return 'chai';
    return runner === 'mocha' && origin.source !== 'expect' && !origin.source.startsWith('@jest') ? 'chai' : 'jest';
  }
  if (node.name !== 'expect') return null;
  if (node.binding && node.binding.kind !== 'param') {
    // `const { expect } = chai`, `const expect = chai.expect`
    const init = bare(node.binding.declarator?.init ?? null);
    const owner = init && isMember(init) ? init.object : init;
    const isChai = owner?.type === 'Identifier' && /chai/.test(originOf(owner.binding)?.source ?? '');
    return isChai ? 'chai' : null;
  }
  return runner === 'mocha' ? 'chai' : 'jest';
}

/** Reads `expect(a).not.toEqual(b)` from its first call on. */
export function readExpect(node, { runner }) {
  if (isTypeOnly(node)) return { node: topOf(node).top, form: 'expectTypeOf', native: 'it is about types' };
  const soft = readBase(node, runner);
  if (soft === null) return null;
  const { kind, variant } = soft;
  const { top, links } = topOf(node);
  if (links.length === 0) return null;
  const names = links.map(({ name }) => name);
  const form = names.slice(0, 6).join('.').slice(0, 100);
  if (variant === 'poll') return { node: top, form, native: 'it is tried again until it holds' };
  if (node.arguments.length === 0) return { node: top, form, native: 'nothing is compared' };
  const isChai = kind === 'chai' || names.some((name) => CHAI_LINKS.test(name)) || isChaiTerminal(names.at(-1));
  return isChai && !MATCHERS.has(names.at(-1))
    ? chaiSite(node, top, { links, form })
    : jestSite(node, top, { links, form });
}

function readBase(node, runner) {
  if (!isCall(node)) return null;
  const { callee } = node;
  if (isMember(callee)) {
    const variant = propertyOf(callee);
    if (!/^(soft|poll)$/.test(variant ?? '')) return null;
    const kind = expectKind(callee.object, runner);
    return kind && { kind, variant };
  }
  const kind = expectKind(callee, runner);
  return kind && { kind, variant: 'plain' };
}

/** The whole chain that a call begins, and its links. */
export function topOf(node) {
  const links = [];
  let top = node;
  for (;;) {
    const { parent } = top;
    if (isMember(parent) && parent.object === top) {
      links.push({ name: propertyOf(parent) ?? '', args: null });
      top = parent;
    } else if (isCall(parent) && parent.callee === top && links.length > 0) {
      links.at(-1).args = parent.arguments;
      top = parent;
    } else return { top, links };
  }
}

function jestSite(base, top, { links, form }) {
  const matcher = links.at(-1);
  const before = links.slice(0, -1).map(({ name }) => name);
  const isNot = before.includes('not');
  const settle = before.find((name) => name === 'resolves' || name === 'rejects');
  const known = MATCHERS.get(matcher.name);
  const fail = (native) => ({ node: top, form, native });
  if (!matcher.args || before.some((name) => !/^(not|resolves|rejects)$/.test(name)))
    return fail('a chain nobody knows');
  if (/HaveBeen|Called|Return|toHaveResolved/.test(matcher.name)) return fail('calls of a mock');
  if (known === undefined) return fail('a matcher of the project');
  const expected = matcher.args.slice(0, known);
  const isSnapshot = /Snapshot$/.test(matcher.name);
  if (isSnapshot && !/Inline/.test(matcher.name)) return fail('its snapshot is in a file');
  if (isSnapshot && (isNot || matcher.args.length !== 1)) return fail('a snapshot with properties');
  if (expected.some(({ type }) => type === 'SpreadElement')) return fail('arguments nobody knows');
  if (matcher.name === 'toBe' && expected.some((each) => isObject(each))) return fail('compared by identity');
  const isThrow = THROWS.test(matcher.name);
  const call = settle ?? (isThrow ? (isNot ? 'quiet' : 'throws') : 'value');
  if (isThrow && isNot && expected.length > 0) return fail('another error than one');
  return {
    node: top,
    form,
    call,
    actual: base.arguments[0],
    expected,
    isThrow,
    plan: {
      kind: 'jest',
      matcher: matcher.name === 'toThrowError' ? 'toThrow' : matcher.name,
      isNot,
      settle: settle ?? null,
    },
  };
}

function isObject(expression) {
  const node = bare(expression);
  if (node.type === 'Identifier' && node.binding?.init && node.binding.writes === 0) return isObject(node.binding.init);
  return OBJECTS.test(node.type);
}

function chaiSite(base, top, { links, form }) {
  const names = links.map(({ name }) => name);
  const fail = (native) => ({ node: top, form, native });
  const unknown = names.find((name) => !CHAI_LINKS.test(name) && !isChaiTerminal(name));
  if (unknown !== undefined) return fail('a chain nobody knows');
  const isThrow = names.some((name) => /^(throw|throws|Throw)$/.test(name));
  if (isThrow && links.findIndex(({ name }) => /^(throw|throws|Throw)$/.test(name)) !== links.length - 1)
    return fail('a chain on an error');
  const isNot = names.includes('not');
  const args = links.flatMap((link) => link.args ?? []);
  if (isThrow && isNot && args.length > 0) return fail('another error than one');
  const identity = links.some(
    ({ name, args: of }) => /^(equal|equals|eq)$/.test(name) && of?.some((each) => isObject(each)),
  );
  if (identity && !names.includes('deep')) return fail('compared by identity');
  return {
    node: top,
    form,
    call: isThrow ? (isNot ? 'quiet' : 'throws') : 'value',
    actual: base.arguments[0],
    expected: args,
    isThrow,
    plan: { kind: 'chai', links: links.map((link) => [link.name, link.args?.length ?? -1]) },
  };
}
