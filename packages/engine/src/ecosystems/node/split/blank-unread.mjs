import { cellOf, columnsOf } from './read-table.mjs';
import { printPure } from './print-pure.mjs';
import { bare, isFunction, isMember, keyOf, propertyOf, walk } from './syntax.mjs';

/**
 * Takes out what nothing that is left reads: values of variables, functions, and cells of tables, until nothing more
 * can go. Variables keep their names, with 0 for a value.
 */
export function blankUnread({ source, edits, levels, scope }) {
  const bindings = allBindings(source.program);
  for (let before = -1, count = 0; count !== before;) {
    before = count;
    for (const binding of bindings)
      if (!binding.isBlank && isUnread(binding, edits)) count += blankBinding(binding, { edits, scope });
    for (const level of levels) count += blankColumns(level, edits);
  }
}

function allBindings(program) {
  const found = [];
  walk(program, (node) => {
    if (node.scope) found.push(...node.scope.names.values());
    return true;
  });
  return found;
}

function isUnread({ references, init }, edits) {
  return references.every((each) => edits.isGone(each) || isWithin(each, init));
}

const isWithin = (node, outer) =>
  outer !== null && isFunction(outer) && node.start >= outer.start && node.end <= outer.end;

function blankBinding(binding, { edits, scope }) {
  const { init, kind } = binding;
  if (!init || edits.isGone(init)) return 0;
  const declaration = kind === 'function' ? init : binding.declarator?.parent;
  if (!declaration || /^Export/.test(declaration.parent?.type)) return 0;
  if (kind === 'function') {
    if (init.type !== 'FunctionDeclaration') return 0;
    edits.replace(init.start, init.end, ';');
  } else {
    if (!binding.isPlain || binding.writes > 0 || !isInert(init, scope) || isConstantAlready(init)) return 0;
    edits.replace(init.start, init.end, '0');
  }
  binding.isBlank = true;
  return 1;
}

const isConstantAlready = ({ type, value }) => type === 'NumericLiteral' && value === 0;

/** Whether an expression does nothing but have a value. */
function isInert(expression, scope) {
  const node = bare(expression);
  if (isFunction(node) || node.type === 'Identifier') return true;
  if (node.type === 'ArrayExpression') return node.elements.every((each) => each === null || isInert(each, scope));
  if (node.type === 'ObjectExpression')
    return node.properties.every(
      (each) =>
        each.type === 'ObjectMethod' ||
        (each.type === 'ObjectProperty' && !each.computed && isInert(each.value, scope)),
    );
  return printPure(node, scope) !== null;
}

function blankColumns({ table, body, columnsAreShared }, edits) {
  if (!table?.rows || !body || columnsAreShared) return 0;
  const columns = columnsOf(body, table);
  if (table.style === 'loop' ? !isLoopUnderstood(table, edits) : !isUnderstood(body)) return 0;
  const read = [...columns].flatMap(([binding, path]) => readPaths(binding, path, edits));
  let count = 0;
  for (const row of table.rows) {
    for (const { node, path } of cellsOf(row, table)) {
      if (edits.isGone(node) || isConstantAlready(bare(node))) continue;
      if (path.at(-1) !== VALUE && read.some((each) => isPrefix(each, path) || isPrefix(path, each))) continue;
      edits.replace(node.start, node.end, '0');
      count += 1;
    }
  }
  return count;
}

/** Whether what the loops go over is read nowhere else, and all that takes it apart is followed. */
function isLoopUnderstood({ loops }, edits) {
  return loops.every(
    ({ owner, pattern }) =>
      (owner === null || owner.references.filter((each) => !edits.isGone(each)).length <= 1) && isPlainPattern(pattern),
  );
}

/** Whether every parameter is one that `columnsOf` follows. */
function isUnderstood(body) {
  let isArgumentsRead = false;
  walk(body, (node) => {
    if (node.type === 'Identifier' && node.name === 'arguments') isArgumentsRead = true;
    return true;
  });
  return body.params.every((each) => isPlainPattern(each)) && !isArgumentsRead;
}

function isPlainPattern(pattern) {
  if (pattern === null || pattern.type === 'Identifier') return true;
  if (pattern.type === 'ObjectPattern') {
    return pattern.properties.every(
      (each) => each.type === 'ObjectProperty' && keyOf(each) !== undefined && isPlainPattern(each.value),
    );
  }
  return pattern.type === 'ArrayPattern' && pattern.elements.every((each) => isPlainPattern(each));
}

function readPaths(binding, path, edits) {
  return binding.references
    .filter((each) => !edits.isGone(each))
    .map((reference) => {
      const read = [...path];
      for (let node = reference; isMember(node.parent) && node.parent.object === node; node = node.parent) {
        const key = propertyOf(node.parent);
        if (key === undefined) break;
        read.push(key);
      }
      return read;
    });
}

const isPrefix = (one, other) =>
  one.length <= other.length && one.every((step, index) => String(step) === String(other[index]));

/** The cells of a row, as deep as parameters can take them apart. */
function* cellsOf(row, table) {
  if (table.style === 'loop') {
    for (const [index, node] of row.nodes.entries()) yield* belowElement(node, [index]);
    // Looked up by key in what the loop goes over; `isLoopUnderstood` has seen that nobody does any more.
    for (const [index, { values }] of table.loops.entries())
      for (const node of values ?? []) yield { node, path: [index, VALUE] };
    return;
  }
  if (table.isTemplate) {
    for (const [name] of row.cells) yield* below(cellOf(row, [0, name], table), [0, name], 1);
  } else if (table.style === 'row') yield* below(row.node, [], 3);
  else if (row.node.type === 'ArrayExpression') {
    for (const [index, element] of row.node.elements.entries()) if (element) yield* below(element, [index], 2);
  } else yield* below(row.node, [0], 2);
}

/** A path that no parameter has. */
const VALUE = Symbol('value');

function* belowElement(node, path) {
  const inner = bare(node);
  if (inner?.type === 'ArrayExpression') {
    for (const [index, element] of inner.elements.entries())
      if (element && !element.isKey) yield* below(element, [...path, index], 1);
  } else if (!node.isKey) yield* below(node, path, 2);
}

function* below(node, path, depth) {
  const inner = bare(node);
  if (
    depth > 0 &&
    inner?.type === 'ObjectExpression' &&
    inner.properties.every((each) => each.type === 'ObjectProperty' && keyOf(each) !== undefined && !each.shorthand)
  ) {
    for (const each of inner.properties) yield* below(each.value, [...path, keyOf(each)], depth - 1);
  } else if (depth > 0 && path.length === 0 && inner?.type === 'ArrayExpression') {
    for (const [index, element] of inner.elements.entries()) if (element) yield* below(element, [index], depth - 1);
  } else if (node && node.type !== 'SpreadElement' && path.length > 0) yield { node, path };
}
