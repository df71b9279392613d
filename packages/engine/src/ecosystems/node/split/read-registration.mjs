import { bare, isCall, isFunction, isMember, keyOf, propertyOf } from './syntax.mjs';

const ROLES = new Map([
  ...['test', 'it', 'specify', 'fit', 'xit', 'xtest', 'xspecify'].map((name) => [name, 'test']),
  ...['describe', 'suite', 'context', 'fdescribe', 'xdescribe', 'xcontext'].map((name) => [name, 'suite']),
]);
const RUNNERS = /^(vitest|@jest\/globals|node:test|test|mocha|bun:test)$/;
/** Modifiers that take arguments of their own before the title comes. */
const CURRIED = /^(each|for|skipIf|runIf)$/;

/**
 * Reads a call that registers a test or a suite: `{role, modifiers, table, style, title, body, args}`; null for any
 * other. `table` is what `each` was given: an expression or a template.
 */
export function readRegistration(call, context) {
  if (!isCall(call)) return null;
  let { callee } = call;
  let table = null;
  let style = null;
  const modifiers = [];
  while (isCall(callee) || callee.type === 'TaggedTemplateExpression') {
    const inner = callee.type === 'TaggedTemplateExpression' ? callee.tag : callee.callee;
    if (isStrippedEach(inner)) {
      const [owner] = inner.arguments;
      table = callee.type === 'TaggedTemplateExpression' ? callee.quasi : callee.arguments[0];
      style = 'spread';
      modifiers.push({ name: 'each', call: callee, owner });
      callee = owner;
      continue;
    }
    if (!isMember(inner) || !CURRIED.test(propertyOf(inner) ?? '')) return null;
    const name = propertyOf(inner);
    if (name === 'each' || name === 'for') {
      table = callee.type === 'TaggedTemplateExpression' ? callee.quasi : callee.arguments[0];
      style = name === 'for' ? 'row' : 'spread';
      modifiers.push({ name, call: callee, owner: inner.object });
    } else modifiers.push({ name });
    callee = inner.object;
  }
  while (isMember(callee)) {
    const name = propertyOf(callee);
    if (name === undefined) return null;
    const owner = roleOf(callee, context);
    if (owner) return finish(owner, call, { modifiers, table, style });
    modifiers.push({ name });
    callee = callee.object;
  }
  const role = roleOf(callee, context);
  return role && finish(role, call, { modifiers, table, style });
}

/** `$assay.each(test, style)`, which stands for `test.each` in a stripped file. */
function isStrippedEach(node) {
  return (
    isCall(node) && isMember(node.callee) && node.callee.object.name === '$assay' && propertyOf(node.callee) === 'each'
  );
}

function finish(role, call, { modifiers, table, style }) {
  const args = call.arguments;
  const [title] = args;
  if (title === undefined) return null;
  const body = args.find((arg) => isFunction(arg)) ?? null;
  const isPlainBody = body !== null || args.length === 1;
  return { role, modifiers, table, style, title, body, args, call, isPlainBody };
}

/** What an expression registers by itself: `test`, `it`, `t.test` in a test of node:test. */
function roleOf(node, { runner, contexts }) {
  if (isMember(node)) {
    if (runner !== 'node:test' || node.object.type !== 'Identifier') return null;
    const isContext = node.object.binding && contexts.has(node.object.binding);
    return isContext && /^(test|it)$/.test(propertyOf(node) ?? '') ? 'test' : null;
  }
  if (node.type !== 'Identifier') return null;
  const { binding } = node;
  if (binding === null || binding === undefined) return runner === 'node:test' ? null : (ROLES.get(node.name) ?? null);
  if (binding.kind === 'import')
    return RUNNERS.test(binding.source)
      ? (ROLES.get(binding.imported === 'default' || binding.imported === '*' ? 'test' : binding.imported) ?? null)
      : null;
  return roleOfVariable(binding, { runner, contexts });
}

function roleOfVariable(binding, context) {
  const init = bare(binding.declarator?.init ?? null);
  if (!init) return null;
  const module = requiredModule(init);
  if (module !== null) {
    if (!RUNNERS.test(module.source)) return null;
    return ROLES.get(module.member ?? importedName(binding) ?? 'test') ?? null;
  }
  if (init.type === 'Identifier') return init.binding === binding ? null : roleOf(init, context);
  // `const test = base.extend({...})`
  if (isCall(init) && isMember(init.callee) && propertyOf(init.callee) === 'extend')
    return roleOf(init.callee.object, context);
  return null;
}

/** `require('x')`, `require('x').member` and `await import('x')`. */
export function requiredModule(expression) {
  let node = bare(expression);
  let member;
  if (node && isMember(node)) {
    member = propertyOf(node);
    node = bare(node.object);
  }
  if (node?.type === 'AwaitExpression') node = bare(node.argument);
  if (!node || !isCall(node)) return null;
  const isRequire = node.callee.type === 'Identifier' && node.callee.name === 'require';
  const [source] = node.arguments;
  if ((!isRequire && node.callee.type !== 'Import') || source?.type !== 'StringLiteral') return null;
  return { source: source.value, member };
}

/** Name under which a destructured variable was taken from its module. */
export function importedName({ declarator, name }) {
  if (declarator?.id.type !== 'ObjectPattern') return undefined;
  const property = declarator.id.properties.find(
    (each) => each.value?.name === name || each.value?.left?.name === name,
  );
  return property ? keyOf(property) : undefined;
}

/** Where a name comes from: `{source, imported}` of its import or `require`; null for anything else. */
export function originOf(binding) {
  if (!binding) return null;
  if (binding.kind === 'import') return { source: binding.source, imported: binding.imported };
  const module = binding.declarator?.init ? requiredModule(binding.declarator.init) : null;
  if (!module) return null;
  return { source: module.source, imported: importedName(binding) ?? module.member ?? '*' };
}
