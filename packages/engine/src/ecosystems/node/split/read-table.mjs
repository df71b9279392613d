import { bare, keyOf } from './syntax.mjs';

/**
 * Reads the table of an `each`: `{rows, style, isTemplate, array}`. A row is `{node}`, or `{cells}` by heading for a
 * template. `rows` is null when they are not written there.
 */
export function readTable(expression, { style }) {
  if (expression.type === 'TemplateLiteral') return readTemplate(expression);
  let node = bare(expression);
  if (node?.type === 'Identifier' && node.binding?.init && node.binding.writes === 0) node = bare(node.binding.init);
  const isList = node?.type === 'ArrayExpression';
  const isWhole = isList && node.elements.every((element) => element !== null && element.type !== 'SpreadElement');
  return { style, isTemplate: false, rows: isWhole ? node.elements.map((element) => ({ node: bare(element) })) : null };
}

function readTemplate({ quasis, expressions }) {
  const [first] = quasis;
  const heading = (first.value.cooked ?? '').trim();
  const names = heading
    .split('\n')[0]
    .split('|')
    .map((name) => name.trim());
  const rows = [];
  for (let at = 0; at + names.length <= expressions.length; at += names.length)
    rows.push({ cells: new Map(names.map((name, index) => [name, bare(expressions[at + index])])) });
  const isWhole = rows.length * names.length === expressions.length;
  return { style: 'spread', isTemplate: true, rows: isWhole ? rows : null };
}

/**
 * Maps the bindings that take a row apart to where in it their values stand: `binding -> path`. A path is a list of
 * indices and keys; in loops it begins with the number of the loop.
 */
export function columnsOf(body, table) {
  const columns = new Map();
  if (table.style === 'loop') {
    for (const [index, { pattern, scope }] of table.loops.entries()) addPattern(pattern, [index], { scope, columns });
    return columns;
  }
  for (const [index, param] of body.params.entries()) {
    if (table.style === 'row' && index > 0) break;
    addPattern(param, table.style === 'row' ? [] : [index], { scope: body.scope, columns });
  }
  return columns;
}

function addPattern(pattern, path, { scope, columns }) {
  const bindings = new Map([...scope.names.values()].map((binding) => [binding.id, binding]));
  const add = (part, at) => {
    if (part.type === 'Identifier' && bindings.has(part)) columns.set(bindings.get(part), at);
    else if (part.type === 'ObjectPattern') {
      for (const each of part.properties) {
        const key = each.type === 'ObjectProperty' ? keyOf(each) : undefined;
        if (key !== undefined) add(each.value, [...at, key]);
      }
    } else if (part.type === 'ArrayPattern') {
      for (const [index, each] of part.elements.entries()) if (each) add(each, [...at, index]);
    }
  };
  add(pattern, path);
}

/** The node of a cell; null when it is not written out. */
export function cellOf(row, path, { style, isTemplate }) {
  if (isTemplate) {
    // The one parameter is an object of the row.
    return path[0] === 0 && path.length > 1 ? below(row.cells.get(path[1]) ?? null, path.slice(2)) : null;
  }
  if (style === 'loop') return below(row.nodes[path[0]], path.slice(1));
  if (style === 'row') return below(row.node, path);
  if (row.node.type === 'ArrayExpression') return below(row.node, path);
  return path[0] === 0 ? below(row.node, path.slice(1)) : null;
}

function below(node, path) {
  let at = node;
  for (const step of path) {
    const inner = bare(at);
    if (inner?.type === 'ArrayExpression' && typeof step === 'number') {
      if (inner.elements.slice(0, step + 1).some((element) => element?.type === 'SpreadElement')) return null;
      at = inner.elements[step] ?? null;
    } else if (inner?.type === 'ObjectExpression') {
      if (inner.properties.some((each) => each.type !== 'ObjectProperty')) return null;
      at = inner.properties.findLast((each) => keyOf(each) === String(step))?.value ?? null;
    } else return null;
    if (at === null) return null;
  }
  return at;
}
