/* Questions about the tree of a source file, as @babel/parser makes it. */
const TYPES = new Set([
  'typeAnnotation',
  'typeParameters',
  'typeArguments',
  'returnType',
  'superTypeParameters',
  'implements',
]);
const DECLARED_ONLY = new Set([
  'TSTypeAliasDeclaration',
  'TSInterfaceDeclaration',
  'TSDeclareFunction',
  'TSDeclareMethod',
]);

/** Nodes right below a node, in the order of the text, without types. */
export function childrenOf(node) {
  if (DECLARED_ONLY.has(node.type)) return [];
  const found = [];
  for (const key in node) {
    if (key === 'parent' || key === 'loc' || key === 'extra' || key === 'binding' || TYPES.has(key)) continue;
    if (key.endsWith('omments') || key === 'errors' || key === 'tokens' || key === 'scope' || key === 'declares')
      continue;
    const value = node[key];
    for (const item of Array.isArray(value) ? value : [value]) if (isNode(item)) found.push(item);
  }
  return found.sort((one, other) => one.start - other.start);
}

function isNode(value) {
  return typeof value === 'object' && value !== null && typeof value.type === 'string';
}

/** Every node below one, itself first. `enter` answering false leaves out what is below. */
export function walk(node, enter) {
  if (enter(node) === false) return;
  for (const child of childrenOf(node)) walk(child, enter);
}

const WRAPPERS = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
  'TypeCastExpression',
  'ParenthesizedExpression',
]);

/** An expression without what only says its type. */
export function bare(node) {
  let inner = node;
  while (inner && WRAPPERS.has(inner.type)) inner = inner.expression;
  return inner;
}

export const isFunction = ({ type }) => /^(Function(Declaration|Expression)|ArrowFunctionExpression)$/.test(type);
export const isMember = ({ type }) => type === 'MemberExpression' || type === 'OptionalMemberExpression';
export const isCall = ({ type }) => type === 'CallExpression' || type === 'OptionalCallExpression';

/** Name of the property that a member expression reads; undefined when it is computed. */
export function propertyOf(node) {
  if (!node.computed) return node.property.type === 'Identifier' ? node.property.name : undefined;
  return node.property.type === 'StringLiteral' ? node.property.value : undefined;
}

/** Name of a property of an object literal or pattern. */
export function keyOf({ key, computed }) {
  if (key.type === 'StringLiteral' || key.type === 'NumericLiteral') return String(key.value);
  return !computed && key.type === 'Identifier' ? key.name : undefined;
}
