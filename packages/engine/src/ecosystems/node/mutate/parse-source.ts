import { parse, type ParserPlugin } from '@babel/parser';

/** A node of the syntax tree, as far as all of them are alike. Offsets count UTF-16 units. */
export interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  loc: { start: { line: number } };
  readonly [member: string]: unknown;
}

export interface ParsedSource {
  program: SyntaxNode;
  /** What the source consists of without layout and comments. */
  tokens: string[];
}

/** Parses JavaScript or TypeScript; null when it is neither. */
export function parseSource(path: string, text: string): ParsedSource | null {
  try {
    const file = parse(text, {
      sourceType: 'unambiguous',
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      tokens: true,
      plugins: pluginsFor(path),
    });
    const tokens = (file.tokens ?? []).flatMap((token: { type: unknown; value?: unknown }) =>
      token.type === 'CommentBlock' || token.type === 'CommentLine' ? [] : [tokenText(token, text)],
    );
    return { program: file.program as unknown as SyntaxNode, tokens };
  } catch {
    // Too deep a nesting ends the parser's stack.
    return null;
  }
}

function tokenText(token: object, text: string): string {
  const { start, end } = token as { start: number; end: number };
  return text.slice(start, end);
}

function pluginsFor(path: string): ParserPlugin[] {
  if (/\.[cm]?ts$/.test(path)) return ['typescript', 'decorators-legacy'];
  if (/\.tsx$/.test(path)) return ['typescript', 'jsx', 'decorators-legacy'];
  return ['jsx', 'decorators-legacy'];
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';

/** Members that hold types, comments or positions. */
const PASSED_OVER =
  /^(?:loc|extra|leadingComments|trailingComments|innerComments|typeAnnotation|returnType|typeParameters|typeArguments|implements|superTypeParameters|predicate)$/;

/** Types of TypeScript that hold an expression. All others are erased. */
const KEPT_TYPES =
  /^TS(?:AsExpression|NonNullExpression|SatisfiesExpression|TypeAssertion|InstantiationExpression|ExportAssignment|ParameterProperty)$/;

/** Lists what a node consists of that runs, in the order of the source. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  return Object.entries(node)
    .filter(([name]) => !PASSED_OVER.test(name))
    .flatMap(([, value]): SyntaxNode[] => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []))
    .filter(({ type }) => !type.startsWith('TS') || KEPT_TYPES.test(type))
    .toSorted((a, b) => a.start - b.start);
}

/** Returns the one node that a member holds; null when it holds none. */
export function memberOf(node: SyntaxNode, name: string): SyntaxNode | null {
  const value = node[name];
  return isNode(value) ? value : null;
}

/** Returns the nodes of a member that is a list. Holes of arrays are left out. */
export function listOf(node: SyntaxNode, name: string): SyntaxNode[] {
  const value = node[name];
  return Array.isArray(value) ? value.filter(isNode) : [];
}
