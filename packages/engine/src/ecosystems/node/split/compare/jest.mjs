import { expect } from 'expect';
import { matchesSnapshot, serialise } from './snapshot.mjs';

/** Where the `expect` package keeps its matchers; called by themselves, they make no message. */
const { matchers } = globalThis[Symbol.for('$$jest-matchers-object')];
export { expect };
const CONTEXT = contextOfMatchers();
const { equals, utils } = CONTEXT;
const OWN = {
  toBeTypeOf: (value, type) => typeof value === type,
  toBeOneOf: (value, items) => [...items].some((item) => equals(value, item, [utils.iterableEquality])),
  toBeNullable: (value) => value === null || value === undefined,
  toMatchInlineSnapshot: (value, text) => matchesSnapshot(serialise(value), text),
};

/** What the package gives matchers as `this`. */
function contextOfMatchers() {
  let context;
  expect.extend({
    assayContext() {
      context = this;
      return { pass: true, message: () => '' };
    },
  });
  expect(null).assayContext();
  return context;
}

/** What jest and vitest say of `expect(actual).[not].matcher(...args)`. */
export function compareJest(matcher, isNot, settle, { kind, actual, args }) {
  if (settle !== '' && kind !== (settle === 'resolves' ? 'resolved' : 'rejected')) return false;
  return passes(matcher, { kind, actual, args }) !== isNot;
}

function passes(matcher, { kind, actual, args }) {
  if (matcher === 'toThrow') return matchers.toThrow.call(CONTEXT, thrower(kind, actual), ...args).pass;
  if (matcher === 'toThrowErrorMatchingInlineSnapshot') {
    if (kind !== 'thrown' && kind !== 'rejected') return false;
    return matchesSnapshot(serialise(actual), args[0]) || matchesSnapshot(serialise(actual?.message), args[0]);
  }
  const own = Object.hasOwn(OWN, matcher) ? OWN[matcher] : null;
  return own === null ? matchers[matcher].call(CONTEXT, actual, ...args).pass : own(actual, ...args);
}

function thrower(kind, value) {
  return () => {
    if (kind === 'thrown' || kind === 'rejected') throw value;
  };
}
