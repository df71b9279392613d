import { originOf } from './read-registration.mjs';
import { bare, childrenOf, isCall, isFunction, isMember, propertyOf, walk } from './syntax.mjs';

const MUTATORS =
  /^(push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|set|add|delete|clear|append|write|setTime|set[A-Z]\w*)$/;
const WRITERS = /^(assign|defineProperty|defineProperties|setPrototypeOf|freeze)$/;
const AFTERWARDS = /^(after|afterAll|afterEach|teardown|suiteTeardown)$/;

/**
 * What a variable holds: a `value` that nothing changes, `data` that is written out, or an `object` of which only the
 * code that made it knows what changes it.
 */
export function kindOf(expression) {
  const node = bare(expression);
  if (isFunction(node)) return knowsVariables(node) ? 'object' : 'value';
  if (/^(\w*Literal|UnaryExpression|BinaryExpression)$/.test(node.type)) return 'value';
  let kind = 'data';
  walk(node, (each) => {
    if (isFunction(each)) return false;
    if ((isCall(each) || each.type === 'NewExpression') && !isOfLanguage(each.callee)) kind = 'object';
    if (/^(Await|Yield|TaggedTemplate|Class)/.test(each.type)) kind = 'object';
    return kind === 'data';
  });
  return kind;
}

/** Whether a function knows variables that change, so that calling it may change them. */
function knowsVariables(node) {
  return [...bindingsIn(node)].some(
    ({ declarator, init, isPlain, writes }) =>
      declarator?.init &&
      !isFunction(bare(declarator.init)) &&
      originOf({ declarator }) === null &&
      (writes > 0 || !isPlain || kindOf(init) !== 'value'),
  );
}

/** `Buffer.from`, `Date`, or a method of what is written out: `'a'.repeat`. */
function isOfLanguage(callee) {
  let at = callee;
  while (isMember(at)) at = at.object;
  return at.type === 'Identifier' ? at.binding === null : !isCall(at) && at.type !== 'NewExpression';
}

export const isWithin = (node, { start, end }) => node.start >= start && node.end <= end;

/**
 * References through which a variable may become another thing than its declaration says, before `site` is reached:
 * `inside` the test, and `elsewhere`. What assertions ask does not count.
 */
export function changesOf(binding, { site, test, assertions }) {
  const { body } = test;
  const isLocal = isWithin(binding.id, body);
  if (binding.kind === 'function') return { inside: [], elsewhere: [] };
  const kind = binding.isPlain && binding.init ? kindOf(binding.init) : 'object';
  const inside = [];
  const elsewhere = [];
  if (kind === 'value') return { inside, elsewhere };
  const isOwn = (reference) => isWithin(reference, body);
  const asked = binding.references.filter((reference) => isWithin(reference, site.node));
  const others = binding.references.filter(
    (reference) =>
      !isWithin(reference, site.node) &&
      (!isOwn(reference) || reference.start < site.node.start) &&
      !isAsserted(reference, assertions),
  );
  // What is used once, and never again, is what it was declared to be.
  if (isLocal && others.length + Math.min(asked.length, 1) <= 1) return { inside, elsewhere };
  for (const reference of others) {
    if (isOwn(reference)) {
      if (mayChange(reference, kind, true)) inside.push(reference);
    } else if (!isAfterwards(reference) && mayChange(reference, kind, false)) elsewhere.push(reference);
  }
  return { inside, elsewhere };
}

function isAsserted(reference, assertions) {
  for (let at = reference; at; at = at.parent) if (assertions.has(at)) return true;
  return false;
}

function isAfterwards(reference) {
  for (let at = reference; at; at = at.parent)
    if (isCall(at) && at.callee.type === 'Identifier' && AFTERWARDS.test(at.callee.name)) return true;
  return false;
}

function mayChange(reference, kind, isOwn) {
  let at = reference;
  while ((isMember(at.parent) && at.parent.object === at) || bare(at.parent) !== at.parent) at = at.parent;
  const { parent } = at;
  if (/^(Update|Unary)Expression$/.test(parent.type))
    return parent.type === 'UpdateExpression' || parent.operator === 'delete';
  if (parent.type === 'AssignmentExpression' && parent.left === at) return true;
  const isUsed = isCall(parent) || parent.type === 'NewExpression';
  if (!isUsed) return false;
  const isEffect = statementOf(parent).type === 'ExpressionStatement';
  if (parent.callee === at) {
    if (kind === 'data') return isMember(at) && MUTATORS.test(propertyOf(at) ?? '');
    return isOwn || isEffect;
  }
  if (kind === 'data') return (isOwn && isEffect) || WRITERS.test(methodOf(parent));
  return isOwn || isEffect;
}

const methodOf = ({ callee }) => (isMember(callee) ? (propertyOf(callee) ?? '') : '');

function statementOf(node) {
  let at = node;
  while (!/Statement$|Declaration$|^Program$/.test(at.type)) at = at.parent;
  return at;
}

/** Bindings that are referred to below a node, but for those that it declares itself. */
export function bindingsIn(node) {
  const found = new Set();
  walk(node, (each) => {
    if (each.binding && !(each.binding.id && isWithin(each.binding.id, node))) found.add(each.binding);
    return true;
  });
  return found;
}

/** Bindings that a node declares, but for those of functions in it. */
export function declaredIn(node) {
  const found = [];
  const visit = (each) => {
    if (isFunction(each)) return;
    if (each.declares) found.push(each.declares);
    for (const child of childrenOf(each)) visit(child);
  };
  visit(node);
  return found;
}
