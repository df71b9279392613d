import { childrenOf, isMember } from './syntax.mjs';

/**
 * Gives every identifier that refers to something its `binding`: `{name, kind, init, declarator, source, references,
 * writes}`; null when nothing in the file declares it. `source` and `imported` are set for what an import brings.
 */
export function bindNames(program) {
  const root = newScope(null, true);
  program.scope = root;
  declareIn(program, root);
  resolve(program, root);
}

function newScope(parent, isFunction) {
  return { parent, isFunction, names: new Map() };
}

function declare(scope, name, fields) {
  if (fields.id) fields.id.isDeclared = true;
  const known = scope.names.get(name);
  if (known) {
    // Declared twice: nothing can be said of its value.
    known.writes += 1;
    return known;
  }
  const binding = { name, kind: 'let', init: null, declarator: null, references: [], writes: 0, ...fields };
  scope.names.set(name, binding);
  if (fields.id) fields.id.declares = binding;
  return binding;
}

const SCOPES =
  /^(BlockStatement|For(In|Of)?Statement|SwitchStatement|CatchClause|Class(Declaration|Expression)|StaticBlock|TSModuleBlock)$/;
const FUNCTIONS = /^(Function(Declaration|Expression)|ArrowFunctionExpression|ObjectMethod|Class(Private)?Method)$/;

/** Declares what stands below a node, and makes the scopes below it. */
function declareIn(node, scope) {
  for (const child of childrenOf(node)) declareNode(child, scope);
}

function declareNode(node, scope) {
  let inner = scope;
  if (FUNCTIONS.test(node.type)) {
    if (node.type === 'FunctionDeclaration' && node.id)
      declare(scope, node.id.name, { kind: 'function', init: node, id: node.id });
    inner = node.scope = newScope(scope, true);
    if (node.type === 'FunctionExpression' && node.id)
      declare(inner, node.id.name, { kind: 'function', init: node, id: node.id });
    for (const param of node.params) for (const id of patternIds(param)) declare(inner, id.name, { kind: 'param', id });
  } else if (SCOPES.test(node.type)) {
    if (node.type === 'ClassDeclaration' && node.id)
      declare(scope, node.id.name, { kind: 'class', init: node, id: node.id });
    inner = node.scope = newScope(scope, false);
    if (node.type === 'CatchClause' && node.param)
      for (const id of patternIds(node.param)) declare(inner, id.name, { kind: 'param', id });
  } else if (node.type === 'VariableDeclaration') declareVariables(node, scope);
  else if (node.type === 'ImportDeclaration') declareImports(node, scope);
  else if (/^TS(Enum|Module)Declaration$/.test(node.type) && node.id.type === 'Identifier')
    declare(scope, node.id.name, { kind: 'class' });
  else if (node.type === 'TSImportEqualsDeclaration')
    declare(scope, node.id.name, { kind: 'import', source: node.moduleReference.expression?.value, imported: '*' });
  declareIn(node, inner);
}

function declareVariables(node, scope) {
  let target = scope;
  if (node.kind === 'var') while (!target.isFunction) target = target.parent;
  const isLoop = /^For(In|Of)Statement$/.test(node.parent.type);
  for (const declarator of node.declarations) {
    const isPlain = declarator.id.type === 'Identifier';
    for (const id of patternIds(declarator.id)) {
      const init = isPlain && !isLoop ? declarator.init : null;
      declare(target, id.name, { kind: node.kind, init, declarator, isPlain, isLoop, id });
    }
  }
}

function declareImports(node, scope) {
  for (const specifier of node.specifiers) {
    const imported = { ImportDefaultSpecifier: 'default', ImportNamespaceSpecifier: '*' }[specifier.type];
    declare(scope, specifier.local.name, {
      kind: 'import',
      source: node.source.value,
      imported: imported ?? specifier.imported.name ?? specifier.imported.value,
    });
  }
}

/** Identifiers that a pattern declares. */
export function* patternIds(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      yield pattern;
      break;
    case 'ObjectPattern':
      for (const each of pattern.properties)
        yield* patternIds(each.type === 'RestElement' ? each.argument : each.value);
      break;
    case 'ArrayPattern':
      for (const each of pattern.elements) yield* patternIds(each);
      break;
    case 'AssignmentPattern':
      yield* patternIds(pattern.left);
      break;
    case 'RestElement':
      yield* patternIds(pattern.argument);
      break;
    case 'TSParameterProperty':
      yield* patternIds(pattern.parameter);
  }
}

function resolve(node, scope) {
  for (const child of childrenOf(node)) {
    const inner = child.scope ?? scope;
    if (child.type === 'Identifier' || child.type === 'JSXIdentifier') refer(child, inner);
    else resolve(child, inner);
  }
}

function refer(node, scope) {
  if (node.isDeclared || !isReference(node)) return;
  let at = scope;
  while (at && !at.names.has(node.name)) at = at.parent;
  node.binding = at?.names.get(node.name) ?? null;
  if (!node.binding) return;
  node.binding.references.push(node);
  if (isWrite(node)) node.binding.writes += 1;
}

function isReference(node) {
  const { parent } = node;
  switch (parent.type) {
    case 'MemberExpression':
    case 'OptionalMemberExpression':
    case 'JSXMemberExpression':
      return parent.object === node || parent.computed === true;
    case 'ObjectProperty':
      return parent.value === node || parent.computed;
    case 'ObjectMethod':
    case 'ClassMethod':
    case 'ClassProperty':
    case 'ClassAccessorProperty':
      return parent.value === node || (parent.computed && parent.key === node);
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
    case 'ImportSpecifier':
    case 'ImportDefaultSpecifier':
    case 'ImportNamespaceSpecifier':
    case 'MetaProperty':
    case 'JSXAttribute':
      return false;
    case 'ExportSpecifier':
      return parent.local === node;
    default:
      return true;
  }
}

function isWrite(node) {
  let at = node;
  for (let { parent } = node; parent; at = parent, parent = parent.parent) {
    if (parent.type === 'UpdateExpression') return true;
    if (parent.type === 'AssignmentExpression') return parent.left === at;
    if (/^For(In|Of)Statement$/.test(parent.type)) return parent.left === at;
    const isPattern =
      /^(ObjectPattern|ArrayPattern|RestElement|AssignmentPattern)$/.test(parent.type) ||
      (parent.type === 'ObjectProperty' && parent.value === at && parent.parent.type === 'ObjectPattern');
    if (!isPattern || isMember(parent)) return false;
    if (parent.type === 'AssignmentPattern' && parent.right === at) return false;
  }
  return false;
}
