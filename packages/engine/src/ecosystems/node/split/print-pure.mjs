import { bare, isCall, isMember, keyOf, propertyOf } from './syntax.mjs';
import { originOf } from './read-registration.mjs';
import { isStable } from './stable-names.mjs';

const VALUES = new Set(['undefined', 'NaN', 'Infinity']);
const CLASSES = new Set(
  (
    'Date Map Set RegExp Error TypeError RangeError SyntaxError ReferenceError EvalError URIError AggregateError URL URLSearchParams ' +
    'Uint8Array Int8Array Uint8ClampedArray Uint16Array Int16Array Uint32Array Int32Array Float32Array Float64Array BigInt64Array ' +
    'BigUint64Array ArrayBuffer DataView String Number Boolean Array TextEncoder TextDecoder Object Function Promise BigInt Symbol Buffer ' +
    'WeakMap WeakSet'
  ).split(' '),
);
const FUNCTIONS = new Set(
  (
    'String Number Boolean BigInt parseInt parseFloat isNaN isFinite encodeURIComponent encodeURI decodeURIComponent decodeURI Array Object ' +
    'RegExp Error TypeError RangeError SyntaxError btoa atob structuredClone'
  ).split(' '),
);
const SPACES = new Set([
  'Math',
  'JSON',
  'Object',
  'Array',
  'Number',
  'String',
  'BigInt',
  'Date',
  'Buffer',
  'Symbol',
  'URL',
]);
const IMPURE = new Set([
  'Math.random',
  'Date.now',
  'Object.defineProperty',
  'Object.setPrototypeOf',
  'URL.createObjectURL',
]);
const MATCHING = /^(any|anything|objectContaining|arrayContaining|stringContaining|stringMatching|closeTo|not)$/;
const MAX_LENGTH = 100_000;

/**
 * Prints an expression as JavaScript that needs nothing of its surroundings; null when it cannot: it reads what may
 * change, or calls what the file does not bring. `scope.column(node)` prints what comes from a row of a table;
 * `scope.matching(node)` says whether an identifier is an `expect` with matchers.
 */
export function printPure(expression, scope) {
  const code = print(expression, { ...scope, locals: new Set(), depth: 0 });
  return code !== null && code.length <= MAX_LENGTH ? code : null;
}

function print(expression, context) {
  const node = bare(expression);
  if (context.depth > 200) return null;
  const inner = { ...context, depth: context.depth + 1 };
  const printer = PRINTERS[node?.type];
  return printer ? printer(node, inner) : null;
}

const all = (nodes, context) => {
  const codes = [];
  for (const node of nodes) {
    const code = node.type === 'SpreadElement' ? spread(node, context) : print(node, context);
    if (code === null) return null;
    codes.push(code);
  }
  return codes;
};
const spread = (node, context) => {
  const code = print(node.argument, context);
  return code === null ? null : `...${code}`;
};
const join = (parts, make) => (parts.includes(null) ? null : make(...parts));

const PRINTERS = {
  StringLiteral: ({ value }) => quote(value),
  NumericLiteral: ({ value }) => String(value),
  BooleanLiteral: ({ value }) => String(value),
  NullLiteral: () => 'null',
  BigIntLiteral: ({ value }) => `${value}n`,
  RegExpLiteral: ({ pattern, flags }) => `(/${pattern}/${flags})`,
  TemplateLiteral({ quasis, expressions }, context) {
    const codes = all(expressions, context);
    if (codes === null || quasis.some(({ value }) => value.cooked === null)) return null;
    const parts = quasis.flatMap(({ value }, index) => [quote(value.cooked), ...codes.slice(index, index + 1)]);
    // As a template does it, which differs from `+` for objects.
    return codes.length === 0 ? parts[0] : `[${parts.join(',')}].map((part)=>\`\${part}\`).join('')`;
  },
  ArrayExpression({ elements }, context) {
    const codes = elements.map((each) =>
      each === null ? '' : each.type === 'SpreadElement' ? spread(each, context) : print(each, context),
    );
    return join(codes, (...items) => `[${items.join(',')}${elements.at(-1) === null ? ',' : ''}]`);
  },
  ObjectExpression({ properties }, context) {
    const codes = properties.map((each) => printProperty(each, context));
    return join(codes, (...items) => `({${items.join(',')}})`);
  },
  UnaryExpression({ operator, argument }, context) {
    if (operator === 'delete') return null;
    return join([print(argument, context)], (code) => `(${operator} ${code})`);
  },
  BinaryExpression({ operator, left, right }, context) {
    if (left.type === 'PrivateName' || operator === '|>') return null;
    return join([print(left, context), print(right, context)], (one, other) => `(${one} ${operator} ${other})`);
  },
  LogicalExpression: (node, context) => PRINTERS.BinaryExpression(node, context),
  ConditionalExpression({ test, consequent, alternate }, context) {
    const codes = [test, consequent, alternate].map((each) => print(each, context));
    return join(codes, (one, two, three) => `(${one} ? ${two} : ${three})`);
  },
  Identifier: printIdentifier,
  MemberExpression: printMember,
  OptionalMemberExpression: printMember,
  CallExpression: printCall,
  OptionalCallExpression: printCall,
  NewExpression({ callee, arguments: args }, context) {
    if (callee.type !== 'Identifier' || callee.binding || !CLASSES.has(callee.name)) return null;
    if (/^(Promise|Function|WeakMap|WeakSet|Symbol|BigInt)$/.test(callee.name)) return null;
    if (callee.name === 'Date' && args.length === 0) return null;
    const codes = all(args, context);
    return codes === null ? null : `new ${callee.name}(${codes.join(',')})`;
  },
  ArrowFunctionExpression({ params, body, async, generator }, context) {
    if (async || generator || params.some(({ type }) => type !== 'Identifier')) return null;
    if (body.type === 'BlockStatement') return null;
    const names = params.map(({ name }) => name);
    const code = print(body, { ...context, locals: new Set([...context.locals, ...names]) });
    return code === null ? null : `((${names.join(',')})=>(${code}))`;
  },
};

/** Text in quotes, without a line break in it. */
export function quote(text) {
  return JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

function printProperty(node, context) {
  if (node.type === 'SpreadElement') return spread(node, context);
  if (node.type !== 'ObjectProperty') return null;
  const key = keyOf(node);
  const name = key === undefined ? join([print(node.key, context)], (code) => `[${code}]`) : quote(key);
  // Only this way is it the prototype.
  const isPrototype = key === '__proto__' && !node.computed && !node.shorthand;
  return join(
    [name, print(node.value, context)],
    (one, two) => `${isPrototype ? '__proto__' : key === '__proto__' ? '["__proto__"]' : one}:${two}`,
  );
}

function printIdentifier(node, context) {
  const { name, binding } = node;
  if (context.locals.has(name)) return name;
  const column = context.column?.(node);
  if (column) return column;
  if (!binding) return VALUES.has(name) || CLASSES.has(name) ? name : null;
  if (!/^(const|let|var)$/.test(binding.kind) || !binding.init || binding.writes > 0 || !binding.isPlain) return null;
  const code = print(binding.init, { ...context, locals: new Set() });
  return code !== null && isStable(binding, context) ? code : null;
}

function printMember(node, context) {
  const column = context.column?.(node);
  if (column) return column;
  const { object, optional } = node;
  if (object.type === 'Identifier' && !object.binding && !context.locals.has(object.name)) {
    const path = `${object.name}.${propertyOf(node)}`;
    if (SPACES.has(object.name) && /^(Math|Number|Symbol)\.[\w]+$/.test(path) && !IMPURE.has(path)) return path;
  }
  const key = propertyOf(node);
  if (/^(constructor|__proto__|prototype)$/.test(key)) return null;
  const property = key === undefined ? print(node.property, context) : quote(key);
  return join([print(object, context), property], (code, name) => `${code}${optional ? '?.' : ''}[${name}]`);
}

function printCall(node, context) {
  const { callee } = node;
  const args = all(node.arguments, context);
  if (args === null) return null;
  const list = args.join(',');
  if (callee.type === 'Identifier')
    return !callee.binding && FUNCTIONS.has(callee.name) ? `${callee.name}(${list})` : null;
  if (!isMember(callee)) return null;
  const matching = printMatching(callee, context);
  if (matching !== null) return `${matching}(${list})`;
  const key = propertyOf(callee);
  if (key === undefined || /^(constructor|call|apply|bind|__\w+__)$/.test(key)) return null;
  const { object } = callee;
  if (object.type === 'Identifier' && !object.binding && SPACES.has(object.name)) {
    const path = `${object.name}.${key}`;
    if (object.name === 'Symbol') return key === 'for' ? `Symbol.for(${list})` : null;
    return IMPURE.has(path) ? null : `${path}(${list})`;
  }
  const module = originOf(object.binding);
  if (/^(node:)?path$/.test(module?.source) && /^(\*|default)$/.test(module.imported))
    return /^(join|basename|dirname|extname|normalize)$/.test(key) ? `$path.${key}(${list})` : null;
  if (object.type === 'Identifier' && !object.binding && !context.locals.has(object.name)) return null;
  return join([print(object, context)], (code) => `${code}${callee.optional ? '?.' : ''}.${key}(${list})`);
}

/** `expect.any` and its like. */
export function printMatching(callee, { matching }) {
  const names = [];
  let node = callee;
  while (isMember(node)) {
    const name = propertyOf(node);
    if (!MATCHING.test(name ?? '')) return null;
    names.unshift(name);
    node = node.object;
  }
  if (node.type !== 'Identifier' || !matching?.(node) || names.length === 0 || names.at(-1) === 'not') return null;
  return `$expect.${names.join('.')}`;
}

export const isMatchingCall = (node, scope) =>
  isCall(node) && isMember(node.callee) && printMatching(node.callee, scope) !== null;
