import { isPrimitive } from './stable-names.mjs';
import { isMatchingCall, printMatching, printPure, quote } from './print-pure.mjs';
import { bare, isCall, isFunction, isMember, keyOf, propertyOf } from './syntax.mjs';

const COMPARISONS = /^([=!]==?|[<>]=?)$/;
const TEXT_METHODS = /^(includes|startsWith|endsWith)$/;
const BOTH = 'both sides come from the submission';

/** Says why an assertion stays inside. */
class Inside extends Error {}

/**
 * Divides an assertion: `{leaves, code}`, the expressions that need the submission, in the order of the text, and the
 * comparison as JavaScript over `$`, what they are observed to be; or `{native}`, the reason why it stays inside.
 */
export function decomposeSite(site, scope) {
  if (site.native) return { native: site.native };
  if (site.call === 'response') return decomposeResponse(site, scope);
  if (!isStatement(site.node)) return { native: 'its value is used' };
  const leaves = [];
  const work = { leaves, scope };
  try {
    const codes = site.isSymmetric ? symmetric(site, work) : asymmetric(site, work);
    return { leaves, code: call(site, codes) };
  } catch (error) {
    if (error instanceof Inside) return { native: error.message };
    throw error;
  }
}

/** Supertest hands over its response; what it is given to be called in the end stays inside. */
function decomposeResponse({ expected, done }, scope) {
  const codes = expected.map((each) => printPure(each, scope));
  if (codes.includes(null)) return { native: 'what it expects is made by the test' };
  return { leaves: done === null ? [] : [done], observed: 4, code: `$s($,[${codes.join(',')}])` };
}

function call({ plan }, [actual, ...expected]) {
  if (plan.kind === 'jest')
    return `$m(${quote(plan.matcher)},${plan.isNot},${quote(plan.settle ?? '')},$k,${actual},[${expected.join(',')}])`;
  if (plan.kind === 'assert') return `$a(${quote(plan.method)},$k,[${[actual, ...expected].join(',')}])`;
  let at = 0;
  const links = plan.links.map(([name, count]) => {
    const args = count < 0 ? [] : expected.slice(at, (at += count));
    return `[${quote(name)},${count < 0 ? 'null' : `[${args.join(',')}]`}]`;
  });
  return `$c($k,${actual},[${links.join(',')}])`;
}

function asymmetric(site, work) {
  const actual = site.call === 'value' ? decomposeActual(site.actual, work) : leaf(site.actual, work);
  const expected = site.expected.map((each) => decomposeExpected(each, site, work));
  if (expected.length > 0 && isLeaf(expected[0]) && isLeaf(actual)) throw new Inside(BOTH);
  return [actual, ...expected];
}

function symmetric({ actual, expected }, work) {
  const operands = [actual, ...expected];
  const codes = operands.map((each) => {
    const code = printPure(each, work.scope);
    if (code !== null) return code;
    return operands.length === 1 ? decomposeActual(each, work) : decompose(each, work);
  });
  if (codes.length > 1 && codes.every(isLeaf)) throw new Inside(BOTH);
  return codes;
}

const isLeaf = (code) => /^\$\[\d+\]$/.test(code);

function leaf(node, { leaves }) {
  leaves.push(node);
  return `$[${leaves.length - 1}]`;
}

/** What is asserted about: taken apart only where that leaves more of the comparison outside. */
function decomposeActual(expression, work) {
  const node = bare(expression);
  const { scope } = work;
  if (node.type === 'UnaryExpression' && node.operator === '!') return `(!${decomposeActual(node.argument, work)})`;
  if (node.type === 'BinaryExpression' && COMPARISONS.test(node.operator)) {
    const left = printPure(node.left, scope);
    const right = printPure(node.right, scope);
    if (left === null && right !== null && isPrimitive(node.right))
      return `(${leaf(node.left, work)} ${node.operator} ${right})`;
    if (right === null && left !== null && isPrimitive(node.left))
      return `(${left} ${node.operator} ${leaf(node.right, work)})`;
  }
  if (isCall(node) && isMember(node.callee) && !node.callee.optional && node.arguments.length === 1) {
    const name = propertyOf(node.callee);
    const [argument] = node.arguments;
    const { object } = node.callee;
    if (TEXT_METHODS.test(name ?? '') && printPure(object, scope) === null) {
      const code = printPure(argument, scope);
      if (code !== null) return `${leaf(object, work)}.${name}(${code})`;
    }
    if (name === 'test' && bare(object).type === 'RegExpLiteral') {
      if (printPure(argument, scope) === null) return `${printPure(object, scope)}.test(${leaf(argument, work)})`;
    }
  }
  return leaf(expression, work);
}

function decomposeExpected(expression, site, work) {
  const node = bare(expression);
  const wantsClass = site.isThrow || /toBeInstanceOf|instanceof/i.test(site.form);
  const code = printPure(node, work.scope);
  if (code !== null) return code;
  if (wantsClass) {
    const name = className(node);
    if (name !== null) return `$named(${quote(name)})`;
    if (isFunction(node)) throw new Inside('a function of the test decides');
  }
  return decompose(node, work);
}

/** Name of a class that only the submission or the test knows: instances are known by the names of their classes. */
function className(node) {
  const name = isMember(node) ? propertyOf(node) : node.type === 'Identifier' ? node.name : undefined;
  return name !== undefined && /^[A-Z]/.test(name) && !/^[A-Z0-9_]+$/.test(name) ? name : null;
}

/** Prints what is expected, with as little of it inside as possible. */
function decompose(expression, work) {
  const node = bare(expression);
  const code = printPure(node, work.scope);
  if (code !== null) return code;
  if (node.type === 'ArrayExpression') {
    const items = node.elements.map((each) => (each === null ? '' : item(each, work)));
    return `[${items.join(',')}${node.elements.at(-1) === null ? ',' : ''}]`;
  }
  if (node.type === 'ObjectExpression' && node.properties.every((each) => isPlainProperty(each)))
    return `({${node.properties.map((each) => property(each, work)).join(',')}})`;
  if (node.type === 'TemplateLiteral' && node.quasis.every(({ value }) => value.cooked !== null)) {
    const parts = node.quasis.flatMap(({ value }, index) => [
      quote(value.cooked),
      ...node.expressions.slice(index, index + 1).map((each) => decompose(each, work)),
    ]);
    return `[${parts.join(',')}].map((part)=>\`\${part}\`).join('')`;
  }
  if (node.type === 'BinaryExpression' && /^[+\-*/%]$/.test(node.operator))
    return `(${decompose(node.left, work)} ${node.operator} ${decompose(node.right, work)})`;
  if (isMatchingCall(node, work.scope)) {
    const name = propertyOf(node.callee);
    if (name === 'any') throw new Inside('a class of the submission');
    return `${printMatching(node.callee, work.scope)}(${node.arguments.map((each) => item(each, work)).join(',')})`;
  }
  return leaf(expression, work);
}

const item = (node, work) =>
  node.type === 'SpreadElement' ? `...${decompose(node.argument, work)}` : decompose(node, work);

const isPlainProperty = (node) =>
  node.type === 'SpreadElement' ||
  (node.type === 'ObjectProperty' && keyOf(node) !== undefined && keyOf(node) !== '__proto__');

const property = (node, work) =>
  node.type === 'SpreadElement' ? item(node, work) : `${quote(keyOf(node))}:${decompose(node.value, work)}`;

/** Nobody reads what the assertion returns, but as a promise to wait for. */
function isStatement(node) {
  const { parent } = node;
  if (parent.type === 'AwaitExpression' || (parent.type === 'UnaryExpression' && parent.operator === 'void'))
    return isStatement(parent);
  if (parent.type === 'LogicalExpression') return parent.right === node && isStatement(parent);
  if (parent.type === 'ConditionalExpression') return parent.test !== node && isStatement(parent);
  if (parent.type === 'SequenceExpression') return isStatement(parent);
  return /^(ExpressionStatement|ReturnStatement|ArrowFunctionExpression|ArrayExpression)$/.test(parent.type);
}
