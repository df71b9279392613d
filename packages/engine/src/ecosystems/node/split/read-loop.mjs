import { bare, isCall, isFunction, isMember, propertyOf } from './syntax.mjs';

/**
 * Reads a loop over what is written out: `{rows, pattern, scope, owner}`, the nodes of its rows, what takes one, where
 * its names are declared, and the binding of what it goes over. Null for any other node; `{rows: null}` for a loop that
 * cannot be told.
 */
export function readLoop(node) {
  if (/^For(Of|In)Statement$/.test(node.type)) {
    const declarator = node.left.declarations?.[0];
    const over = node.type === 'ForInStatement' ? keysOf(node.right) : elementsOf(node.right);
    if (!declarator || node.await || over === null) return { rows: null };
    return { ...over, pattern: declarator.id, scope: node.scope };
  }
  if (/^(ForStatement|(Do)?WhileStatement)$/.test(node.type)) return { rows: null };
  const call = node.parent;
  if (!isFunction(node) || !isCall(call) || call.arguments[0] !== node || !isMember(call.callee)) return null;
  if (propertyOf(call.callee) !== 'forEach') return null;
  const over = elementsOf(call.callee.object);
  if (over === null || node.async || node.params.length === 0) return { rows: null };
  return { ...over, pattern: node.params[0], scope: node.scope };
}

function written(expression) {
  const node = bare(expression);
  const binding = node?.type === 'Identifier' ? node.binding : null;
  if (!binding) return { node, owner: null };
  return binding.init && binding.writes === 0
    ? { node: bare(binding.init), owner: binding }
    : { node: null, owner: null };
}

function elementsOf(expression) {
  const { node, owner } = written(expression);
  if (node?.type === 'ArrayExpression') {
    const isWhole = node.elements.every((element) => element !== null && element.type !== 'SpreadElement');
    return isWhole ? { rows: node.elements.map((element) => bare(element)), owner } : null;
  }
  if (!node || !isCall(node) || !isMember(node.callee) || node.callee.object.name !== 'Object') return null;
  const [of] = node.arguments;
  if (of === undefined) return null;
  if (propertyOf(node.callee) === 'keys') return keysOf(of);
  return propertyOf(node.callee) === 'entries' ? entriesOf(of) : null;
}

function keysOf(expression) {
  const entries = entriesOf(expression);
  return (
    entries && {
      ...entries,
      rows: entries.rows.map(({ elements: [key] }) => key),
      values: entries.rows.map(({ elements }) => elements[1]),
    }
  );
}

/** Pairs as if they were written out. */
function entriesOf(expression) {
  const { node, owner } = written(expression);
  if (node?.type !== 'ObjectExpression') return null;
  const isWhole = node.properties.every(
    ({ type, computed, key }) =>
      type === 'ObjectProperty' && !computed && (key.type === 'Identifier' || key.type === 'StringLiteral'),
  );
  // Keys that are numbers come first, whatever the order in the text.
  if (!isWhole || node.properties.some(({ key }) => /^\d+$/.test(key.value ?? ''))) return null;
  const rows = node.properties.map(({ key, value }) => ({
    type: 'ArrayExpression',
    elements: [
      { type: 'StringLiteral', value: key.name ?? key.value, start: key.start, end: key.end, isKey: true },
      value,
    ],
    start: key.start,
    end: value.end,
    isKey: true,
  }));
  return { rows, owner };
}

/** One table of loops that stand in each other: a row is `{nodes}`, one for each loop. */
export function tableOfLoops(loops) {
  if (loops.some(({ rows }) => rows === null)) return { style: 'loop', loops, rows: null };
  const rows = loops.reduce(
    (before, loop) => before.flatMap(({ nodes }) => loop.rows.map((node) => ({ nodes: [...nodes, node] }))),
    [{ nodes: [] }],
  );
  return { style: 'loop', loops, rows };
}
