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
  /** What the source consists of without layout, comments and types. */
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
    const program = file.program as unknown as SyntaxNode;
    const tokens = (file.tokens ?? []) as TokenPlace[];
    return {
      program,
      tokens: keptTokens(tokens, erasedParts(program)).map(({ start, end }) => text.slice(start, end)),
    };
  } catch {
    // Too deep a nesting ends the parser's stack.
    return null;
  }
}

type TokenPlace = Pick<SyntaxNode, 'start' | 'end'> & { type: unknown };

/** Without comments, and without what lies in one of the parts. */
function keptTokens(tokens: readonly TokenPlace[], parts: readonly SyntaxNode[]): TokenPlace[] {
  const ordered = parts.toSorted((a, b) => a.start - b.start);
  let next = 0;
  let erasedTo = 0;
  return tokens.filter(({ start, type }) => {
    for (let part = ordered[next]; part && part.start <= start; part = ordered[(next += 1)])
      erasedTo = Math.max(erasedTo, part.end);
    return start >= erasedTo && type !== 'CommentBlock' && type !== 'CommentLine';
  });
}

/** Lists the parts that are gone when types are: annotations, declarations of types and their imports. */
function erasedParts(node: SyntaxNode): SyntaxNode[] {
  if (node['importKind'] === 'type' || node['exportKind'] === 'type') return [node];
  return Object.entries(node).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter(isNode)
      .flatMap((child) => (TYPE_MEMBERS.test(name) || isErased(child) ? [child] : erasedParts(child))),
  );
}

const isErased = ({ type }: SyntaxNode): boolean => type.startsWith('TS') && !KEPT_TYPES.test(type);

function pluginsFor(path: string): ParserPlugin[] {
  if (/\.[cm]?ts$/.test(path)) return ['typescript', 'decorators-legacy'];
  if (/\.tsx$/.test(path)) return ['typescript', 'jsx', 'decorators-legacy'];
  return ['jsx', 'decorators-legacy'];
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';

/** Members that hold types, comments or positions. */
const PASSED_OVER = /^(?:loc|extra|leadingComments|trailingComments|innerComments)$/;
const TYPE_MEMBERS =
  /^(?:typeAnnotation|returnType|typeParameters|typeArguments|implements|superTypeParameters|predicate)$/;

/** Nodes of TypeScript that run, or hold what does. All others are erased. */
const KEPT_TYPES =
  /^TS(?:(?:As|NonNull|Satisfies|Instantiation)Expression|TypeAssertion|ExportAssignment|ParameterProperty|Enum\w+|Module(?:Declaration|Block))$/;

/** Lists what a node consists of that runs, in the order of the source. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  return Object.entries(node)
    .filter(([name]) => !PASSED_OVER.test(name) && !TYPE_MEMBERS.test(name))
    .flatMap(([, value]): SyntaxNode[] => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []))
    .filter((child) => !isErased(child))
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
