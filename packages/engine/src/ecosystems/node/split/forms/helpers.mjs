import { isCall, isFunction, walk } from '../syntax.mjs';
import { expectKind } from './expect.mjs';
import { originOf } from '../read-registration.mjs';

/** Calls in tests of functions of the file that assert something: what they are given may be the expectation. */
export function* helperSites(source, sites, bodies) {
  const calls = [];
  walk(source.program, (node) => {
    if (isCall(node) && node.callee.type === 'Identifier') calls.push(node);
    return true;
  });
  for (const node of calls) {
    if (!isInTest(node, bodies) || sites.some((site) => site.node === node)) continue;
    const { binding, name } = node.callee;
    const origin = originOf(binding);
    if (origin !== null) {
      if (/^\./.test(origin.source ?? '') && /^(assert|expect|check|verify|should)[A-Z]/.test(name))
        yield { node, form: 'helper', native: 'a helper compares' };
    } else if (binding && doesAssert(functionOf(binding))) {
      yield { node, form: 'helper', native: 'a helper compares' };
    }
  }
}

function functionOf({ init }) {
  return init && isFunction(init) ? init : null;
}

function doesAssert(helper) {
  if (helper === null) return false;
  if (helper.asserts !== undefined) return helper.asserts;
  helper.asserts = false;
  walk(helper.body, (node) => {
    if (node.type !== 'Identifier') return !helper.asserts;
    const isAssertion =
      expectKind(node, 'jest') !== null ||
      /^(node:)?assert/.test(originOf(node.binding)?.source ?? '') ||
      node.name === 'assert';
    if (isAssertion && (isCall(node.parent) || node.parent.object === node)) helper.asserts = true;
    return !helper.asserts;
  });
  return helper.asserts;
}

function isInTest(node, bodies) {
  for (let at = node.parent; at; at = at.parent) if (bodies.has(at)) return true;
  return false;
}
