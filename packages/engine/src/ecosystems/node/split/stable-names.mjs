import { bare, isCall, isMember, propertyOf } from './syntax.mjs';

const PRIMITIVES =
  /^(StringLiteral|NumericLiteral|BooleanLiteral|NullLiteral|BigIntLiteral|TemplateLiteral|UnaryExpression|BinaryExpression)$/;
const WRAPS =
  /^(ArrayExpression|ObjectExpression|ObjectProperty|SpreadElement|TemplateLiteral|TS\w+Expression|ConditionalExpression)$/;
const READS =
  /^(map|filter|slice|concat|join|toString|includes|indexOf|keys|values|entries|get|has|at|find|findIndex|some|every|reduce|flatMap|flat|toISOString|getTime|toJSON|toUpperCase|toLowerCase|trim|split|replace|replaceAll|repeat|padStart|padEnd|startsWith|endsWith|valueOf|forEach)$/;
const READERS = /^(JSON|Object|Array|String|Number|Math|Buffer)$/;

/**
 * Whether nothing in the file can change the value of a name that is assigned once: it is no object, or it is only read
 * and compared. `isExpected(node)` tells what an assertion takes as its expectation.
 */
export function isStable(binding, { isExpected }) {
  if (isPrimitive(binding.init)) return true;
  binding.stable ??= binding.references.every((reference) => isRead(reference, isExpected));
  return binding.stable;
}

export function isPrimitive(expression, depth = 0) {
  const node = bare(expression);
  if (PRIMITIVES.test(node?.type)) return true;
  const { binding } = node ?? {};
  if (node?.type !== 'Identifier' || depth > 20) return false;
  return binding
    ? binding.writes === 0 && Boolean(binding.init) && isPrimitive(binding.init, depth + 1)
    : node.name === 'undefined';
}

function isRead(reference, isExpected) {
  let node = reference;
  for (;;) {
    const { parent } = node;
    if (isExpected(node)) return true;
    if (isMember(parent) && parent.object === node) {
      const call = parent.parent;
      if (isCall(call) && call.callee === parent) return READS.test(propertyOf(parent) ?? '');
      if (/^(Assignment|Update)Expression$/.test(call.type) && (call.left ?? call.argument) === parent) return false;
      if (call.type === 'UnaryExpression' && call.operator === 'delete') return false;
      node = parent;
    } else if (isMember(parent) || /^(Binary|Unary)Expression$/.test(parent.type)) {
      return true;
    } else if (isCall(parent)) {
      const { callee } = parent;
      return (
        isMember(callee) &&
        callee.object.type === 'Identifier' &&
        !callee.object.binding &&
        READERS.test(callee.object.name)
      );
    } else if (WRAPS.test(parent.type)) {
      node = parent;
    } else if (parent.type === 'VariableDeclarator' && parent.id.declares?.init) {
      return parent.id.declares.writes === 0 && isStable(parent.id.declares, { isExpected });
    } else return parent.type === 'ExportSpecifier' ? false : /^(IfStatement|For(Of|In)Statement)$/.test(parent.type);
  }
}
