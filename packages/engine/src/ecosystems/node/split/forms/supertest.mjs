import { bare, isCall, isFunction, isMember, propertyOf } from '../syntax.mjs';

const REQUESTS = /^(get|post|put|patch|delete|del|head|options|query|request|search|propfind|link|unlink|copy|lock)$/;

/** Reads `.expect(200, 'body', done)` in the chain of a request of supertest. */
export function readSupertest(node) {
  if (!isCall(node) || !isMember(node.callee) || propertyOf(node.callee) !== 'expect') return null;
  if (node.arguments.length === 0) return null;
  const form = 'supertest expect';
  if (!isRequest(node.callee.object)) return { node, form, native: 'an assertion nobody knows' };
  const args = [...node.arguments];
  const done = args.length > 1 && isCallback(args.at(-1)) ? args.pop() : null;
  if (args.length > 2 || args.some((each) => each.type === 'SpreadElement' || isCallback(each)))
    return { node, form, native: 'a function of the test decides' };
  return { node, form, call: 'response', expected: args, done, plan: { kind: 'response' } };
}

function isCallback(expression) {
  const node = bare(expression);
  if (isFunction(node)) return true;
  return node.type === 'Identifier' && /^(param|function)$/.test(node.binding?.kind);
}

function isRequest(expression) {
  for (let node = bare(expression); ;) {
    if (isCall(node)) node = bare(node.callee);
    else if (isMember(node)) {
      if (REQUESTS.test(propertyOf(node) ?? '')) return true;
      node = bare(node.object);
    } else return false;
  }
}
