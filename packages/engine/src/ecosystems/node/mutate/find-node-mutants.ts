import type { MutationKind, SourceMutant, TextEdit } from '../../mutate-facet.ts';
import { childrenOf, listOf, memberOf, type SyntaxNode } from './parse-source.ts';

const LOGS = /^(?:console\.\w+|(?:\w+\.)*(?:log|logger)\.\w+|process\.emitWarning|debug|warn)$/;
const BOUNDS: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const OPPOSITES: Readonly<Record<string, string>> = { '===': '!==', '!==': '===', '==': '!=', '!=': '==' };
const MOST_ELEMENTS = 3;
const FIRST_ONLY = '(function* (all) { for (const one of all) { yield one; return; } })';
/** Their members name things, or say them to a person. */
const QUIET = /^(?:ImportDeclaration|ImportExpression|ExportAllDeclaration|ThrowStatement|Directive)$/;

/** Finds small changes of a source that alter what it does, where they begin on one of the lines. */
export function findNodeMutants(program: SyntaxNode, text: string, lines: ReadonlySet<number>): SourceMutant[] {
  const finder = new Finder(text, lines);
  finder.visit(program, false);
  return finder.found;
}

class Finder {
  readonly found: SourceMutant[] = [];
  readonly #text: string;
  readonly #lines: ReadonlySet<number>;
  readonly #conditions = new Set<SyntaxNode>();

  constructor(text: string, lines: ReadonlySet<number>) {
    this.#text = text;
    this.#lines = lines;
  }

  /** `quiet`: inside a message, where constants say nothing about behaviour. */
  visit(node: SyntaxNode, quiet: boolean): void {
    if (node.type === 'ImportDeclaration' || isLog(node, this.#text)) return;
    HANDLERS[node.type]?.(this, node, quiet);
    const silent = quiet || QUIET.test(node.type) || isMessage(node, this.#text);
    for (const child of childrenOf(node)) if (!isName(node, child)) this.visit(child, silent);
  }

  textOf({ start, end }: Pick<SyntaxNode, 'start' | 'end'>): string {
    return this.#text.slice(start, end);
  }

  add(kind: MutationKind, node: SyntaxNode, ...edits: TextEdit[]): void {
    const changes = edits.some(({ start, end, text }) => this.#text.slice(start, end) !== text);
    if (changes && this.#lines.has(node.loc.start.line)) this.found.push({ kind, edits });
  }

  replace(kind: MutationKind, node: SyntaxNode, text: string): void {
    this.add(kind, node, { start: node.start, end: node.end, text });
  }

  condition(node: SyntaxNode, name = 'test'): void {
    const test = memberOf(node, name);
    if (!test) return;
    this.#conditions.add(test);
    const negated = test.type === 'UnaryExpression' && test['operator'] === '!' ? memberOf(test, 'argument') : null;
    this.replace('condition', test, negated ? this.textOf(negated) : `!(${this.textOf(test)})`);
    this.replace('condition', test, 'true');
    this.replace('condition', test, 'false');
  }

  comparison(node: SyntaxNode): void {
    const operator = String(node['operator']);
    const [left, right] = [memberOf(node, 'left'), memberOf(node, 'right')];
    const change = BOUNDS[operator] ?? (this.#conditions.has(node) ? undefined : OPPOSITES[operator]);
    if (!left || !right || change === undefined) return;
    const between = this.#text.slice(left.end, right.start);
    const at = between.indexOf(operator);
    if (at < 0 || /\/[/*]/.test(between)) return;
    this.add('comparison', node, { start: left.end + at, end: left.end + at + operator.length, text: change });
  }

  /** Each of some nodes that commas separate, left out. */
  elements(nodes: readonly SyntaxNode[]): void {
    const all = nodes.map((_, index) => index);
    const last = nodes.length - 1;
    const chosen = nodes.length > MOST_ELEMENTS ? [0, Math.floor(nodes.length / 2), last] : all;
    for (const index of chosen) {
      const [node, before, after] = [nodes[index], nodes[index - 1], nodes[index + 1]];
      if (!node) continue;
      const start = after || !before ? node.start : before.end;
      this.add('element', node, { start, end: after ? after.start : node.end, text: '' });
    }
  }

  /** Cuts a loop with a body to one step. */
  once(node: SyntaxNode): void {
    const body = memberOf(node, 'body');
    if (!body) return;
    const [start, end] = [body.start, body.end];
    if (body.type === 'BlockStatement') this.add('loop', node, { start: end - 1, end: end - 1, text: ' break; ' });
    else this.add('loop', node, { start, end: start, text: '{ ' }, { start: end, end, text: ' break; }' });
  }
}

type Handler = (finder: Finder, node: SyntaxNode, quiet: boolean) => void;

const HANDLERS: Readonly<Record<string, Handler>> = {
  IfStatement: (finder, node) => finder.condition(node),
  ConditionalExpression: (finder, node) => finder.condition(node),
  LogicalExpression(finder, node) {
    const neutral = node['operator'] === '&&' ? 'true' : node['operator'] === '||' ? 'false' : 'undefined';
    for (const side of ['left', 'right']) {
      const operand = memberOf(node, side);
      if (operand) finder.replace('condition', operand, neutral);
    }
  },
  BinaryExpression: (finder, node) => finder.comparison(node),
  NumericLiteral(finder, node, quiet) {
    const value = Number(node['value']);
    if (!quiet && Number.isFinite(value)) finder.replace('constant', node, String(value + 1));
  },
  BooleanLiteral(finder, node, quiet) {
    if (!quiet) finder.replace('constant', node, node['value'] === true ? 'false' : 'true');
  },
  StringLiteral(finder, node, quiet) {
    if (!quiet) finder.replace('constant', node, node['value'] === '' ? "'assay'" : "''");
  },
  RegExpLiteral: (finder, node) => changePattern(finder, node),
  ReturnStatement(finder, node) {
    const value = memberOf(node, 'argument');
    if (value) finder.replace('return', value, 'undefined');
  },
  ArrowFunctionExpression(finder, node) {
    const body = memberOf(node, 'body');
    if (body && body.type !== 'BlockStatement') finder.replace('return', body, 'undefined');
  },
  ExpressionStatement: (finder, node) => omitExpression(finder, node),
  ThrowStatement: (finder, node) => finder.replace('statement', node, ';'),
  ContinueStatement: (finder, node) => finder.replace('statement', node, ';'),
  ObjectExpression: (finder, node) => finder.elements(listOf(node, 'properties')),
  ArrayExpression(finder, node, quiet) {
    if (!quiet) finder.elements(listOf(node, 'elements'));
  },
  ForOfStatement(finder, node) {
    const all = memberOf(node, 'right');
    if (all && node['await'] !== true) finder.replace('loop', all, `${FIRST_ONLY}(${finder.textOf(all)})`);
  },
  ForInStatement: (finder, node) => finder.once(node),
  ForStatement: (finder, node) => finder.once(node),
  WhileStatement(finder, node) {
    const test = memberOf(node, 'test');
    if (test) finder.replace('condition', test, 'false');
    finder.once(node);
  },
  DoWhileStatement: (finder, node) => finder.once(node),
};

/** Leaves out a call or an assignment. What is exported is left alone: without it no test can begin. */
function omitExpression(finder: Finder, node: SyntaxNode): void {
  const expression = memberOf(node, 'expression');
  if (!expression || !/^(?:Call|Assignment|Update|Await|Yield|Unary|OptionalCall)Expression$/.test(expression.type))
    return;
  if (/^(?:module\.)?exports\b/.test(finder.textOf(node))) return;
  finder.replace('statement', node, ';');
}

function changePattern(finder: Finder, node: SyntaxNode): void {
  const pattern = String(node['pattern']);
  const flags = String(node['flags']);
  const put = (changed: string, changedFlags = flags): void =>
    finder.replace('constant', node, `/${changed}/${changedFlags}`);
  if (/^\^./.test(pattern) && !pattern.includes('|')) put(pattern.slice(1));
  if (/[^\\]\$$/.test(pattern) && !pattern.includes('|')) put(pattern.slice(0, -1));
  for (const flag of ['g', 'i']) if (flags.includes(flag)) put(pattern, flags.replace(flag, ''));
}

const callee = (node: SyntaxNode, text: string): string => {
  const called = memberOf(node, 'callee');
  return called ? text.slice(called.start, called.end) : '';
};

function isLog(node: SyntaxNode, text: string): boolean {
  const expression = node.type === 'ExpressionStatement' ? memberOf(node, 'expression') : null;
  return expression?.type === 'CallExpression' && LOGS.test(callee(expression, text));
}

const isMessage = (node: SyntaxNode, text: string): boolean =>
  (node.type === 'NewExpression' && /Error$/.test(callee(node, text))) ||
  (node.type === 'CallExpression' && /^(?:require|invariant|assert(?:\.\w+)?)$/.test(callee(node, text)));

/** A name that is written as a string, or the key of a member. */
const isName = (parent: SyntaxNode, child: SyntaxNode): boolean =>
  (parent['key'] === child && parent['computed'] !== true) || parent['source'] === child;
