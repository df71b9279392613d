import type { FunctionParameter, SourceFunction } from '../../function-facet.ts';
import { childrenOf, listOf, memberOf, parseSource, type SyntaxNode } from '../mutate/parse-source.ts';
import { exportedFunctions, type ExportedFunction } from './exported-functions.ts';

const MAX_CHARACTERS = 300_000;
const BRANCHES =
  /^(?:IfStatement|ConditionalExpression|LogicalExpression|For\w*Statement|(?:Do)?WhileStatement|SwitchCase|CatchClause)$/;
/** Names by which a function reaches for more than its arguments, or beyond its answer. */
const IMPURE =
  /^(?:process|console|Date|fs|require|fetch|setTimeout|setInterval|setImmediate|queueMicrotask|window|document|navigator|globalThis|global|crypto|performance|Promise|WeakMap|WeakRef|localStorage|__dirname|__filename)$/;
const ERRORS = /^(?:Type|Range|Syntax|URI|Reference|Eval)Error$/;
/** Names that test files use themselves. */
const TAKEN = /^(?:test|it|expect|assert|describe|t|target|default)$/;

/** Lists the functions that a module exports: with a body in braces and a parameter, not asynchronous. */
export function listNodeFunctions(path: string, text: string): SourceFunction[] {
  const parsed = text.length > MAX_CHARACTERS || /\.d\.[cm]?ts$/.test(path) ? null : parseSource(path, text);
  if (!parsed) return [];
  return exportedFunctions(parsed.program).flatMap((exported) => functionOf(text, exported) ?? []);
}

function functionOf(text: string, { name, node, statement, kind, isModule }: ExportedFunction): SourceFunction | null {
  const body = memberOf(node, 'body');
  const params = listOf(node, 'params');
  if (body?.type !== 'BlockStatement' || node['async'] === true || params.length === 0 || TAKEN.test(name)) return null;
  const inside = [...descendants(body)];
  const impure = inside.map(impurity).find((each) => each !== null);
  const start = body.start + 1;
  const end = body.end - 1;
  const outer = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', statement.start - 1) + 1))?.[0] ?? '';
  const returns = memberOf(node, 'returnType');
  const listed = text.slice(params[0]?.start, params.at(-1)?.end);
  return {
    name,
    signature: `${name}(${listed})${returns ? text.slice(returns.start, returns.end) : ''}`.replaceAll(/\s+/g, ' '),
    documentation: documentationOf(statement),
    parameters: params.map((each) => parameterOf(text, each)),
    body: { start, end },
    stub: `\n${outer}  throw new Error('not implemented');\n${outer}`,
    raises: inside.flatMap(thrownBy),
    lines: text
      .slice(start, end)
      .split('\n')
      .filter((line) => !/^\s*(?:$|\/\/|\*|\/\*)/.test(line)).length,
    branches: inside.filter(({ type }) => BRANCHES.test(type)).length,
    impure: impure ?? null,
    binding: { kind, isModule },
  };
}

function* descendants(node: SyntaxNode): Generator<SyntaxNode> {
  for (const child of childrenOf(node)) {
    yield child;
    yield* descendants(child);
  }
}

function impurity(node: SyntaxNode): string | null {
  if (/^(?:ThisExpression|AwaitExpression|ImportExpression|Super)$/.test(node.type)) return node.type;
  if (node.type === 'Identifier' && IMPURE.test(String(node['name']))) return String(node['name']);
  if (node.type !== 'MemberExpression') return null;
  const names = [memberOf(node, 'object'), memberOf(node, 'property')].map((each) => each?.['name']);
  return names[0] === 'Math' && names[1] === 'random' ? 'Math.random' : null;
}

function thrownBy(node: SyntaxNode): string[] {
  const thrown = node.type === 'ThrowStatement' ? memberOf(node, 'argument') : null;
  const name = thrown?.type === 'NewExpression' ? String(memberOf(thrown, 'callee')?.['name']) : '';
  return ERRORS.test(name) ? [name] : [];
}

function parameterOf(text: string, node: SyntaxNode): FunctionParameter {
  const isRest = node.type === 'RestElement';
  const right = node.type === 'AssignmentPattern' ? memberOf(node, 'right') : null;
  const own = (right ? memberOf(node, 'left') : isRest ? memberOf(node, 'argument') : node) ?? node;
  const type = memberOf(own, 'typeAnnotation') ?? memberOf(node, 'typeAnnotation');
  return {
    name: own.type === 'Identifier' ? String(own['name']) : '',
    isOptional: isRest || right !== null || own['optional'] === true,
    ...(type ? { type: text.slice(type.start, type.end).replace(/^:\s*/, '') } : {}),
    ...(right ? { default: text.slice(right.start, right.end) } : {}),
  };
}

interface Comment {
  type: string;
  value: string;
}

/** The last documentation comment before a statement. */
function documentationOf(statement: SyntaxNode): string {
  const comments = (statement['leadingComments'] ?? []) as Comment[];
  const last = comments.at(-1);
  if (last?.type !== 'CommentBlock' || !last.value.startsWith('*')) return '';
  return last.value
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, '').trimEnd())
    .join('\n')
    .trim();
}
