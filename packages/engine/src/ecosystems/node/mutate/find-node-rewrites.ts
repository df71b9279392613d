import type { SourceRewrite } from '../../mutate-facet.ts';
import { childrenOf, listOf, memberOf, type SyntaxNode } from './parse-source.ts';

/** Finds rewrites of a source that no caller can notice, where they begin on one of the lines. */
export function findNodeRewrites(program: SyntaxNode, text: string, lines: ReadonlySet<number>): SourceRewrite[] {
  const found: SourceRewrite[] = [];
  const visit = (node: SyntaxNode): void => {
    const { line } = node.loc.start;
    const edits = lines.has(line) ? swapped(node, text) : null;
    if (edits) found.push({ title: `the branches in line ${line} swapped`, edits });
    for (const child of childrenOf(node)) visit(child);
  };
  visit(program);
  const first = listOf(program, 'body').find(({ type }) => type !== 'ImportDeclaration');
  if (first)
    found.push({ title: 'its lines moved down', edits: [{ start: first.start, end: first.start, text: '\n\n\n' }] });
  return found;
}

/** `if (a) X else Y` as `if (!(a)) Y else X`, and `a ? x : y` as `!(a) ? y : x`. */
function swapped(node: SyntaxNode, text: string): SourceRewrite['edits'] | null {
  if (!/^(?:IfStatement|ConditionalExpression)$/.test(node.type)) return null;
  const [test, yes, no] = [memberOf(node, 'test'), memberOf(node, 'consequent'), memberOf(node, 'alternate')];
  if (!test || !yes || !no) return null;
  if (node.type === 'IfStatement' && (yes.type !== 'BlockStatement' || no.type !== 'BlockStatement')) return null;
  const inner = (part: SyntaxNode): string => text.slice(part.start, part.end);
  return [
    { start: test.start, end: test.end, text: `!(${inner(test)})` },
    { start: yes.start, end: yes.end, text: inner(no) },
    { start: no.start, end: no.end, text: inner(yes) },
  ];
}
