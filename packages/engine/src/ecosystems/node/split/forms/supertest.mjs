import { isCall, isMember, propertyOf } from '../syntax.mjs';

const REQUESTS = /^(get|post|put|patch|delete|del|head|options|query|request)$/;

/** Reads `.expect(200, 'body')` in the chain of a request of supertest. */
export function readSupertest(node) {
  if (!isCall(node) || !isMember(node.callee) || propertyOf(node.callee) !== 'expect') return null;
  if (node.arguments.length === 0 || !isRequest(node.callee.object)) return null;
  return { node, form: 'supertest expect', native: 'a request of supertest' };
}

function isRequest(expression) {
  for (let node = expression; ;) {
    if (isCall(node)) node = node.callee;
    else if (isMember(node)) {
      if (REQUESTS.test(propertyOf(node) ?? '')) return true;
      node = node.object;
    } else return node.type === 'AwaitExpression';
  }
}
