import type { SourceRewrite, TextEdit } from '../../mutate-facet.ts';
import { childrenOf, listOf, memberOf, type SyntaxNode } from './parse-source.ts';

/** Finds rewrites of a source that no caller can notice, where they begin on one of the lines. */
export function findNodeRewrites(program: SyntaxNode, text: string, lines: ReadonlySet<number>): SourceRewrite[] {
  const found: SourceRewrite[] = [];
  const reworded: TextEdit[] = [];
  const visit = (node: SyntaxNode): void => {
    const { line } = node.loc.start;
    const edits = lines.has(line) ? swapped(node, text) : null;
    if (edits) found.push({ title: `the branches in line ${line} swapped`, edits });
    const message = messageOf(node, text);
    if (message) {
      const { start, end } = message;
      reworded.push({ start, end, text: `('reworded: ' + (${text.slice(start, end)}))` });
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(program);
  if (reworded.length > 0) found.unshift({ title: 'the messages of its errors reworded', edits: reworded });
  const first = listOf(program, 'body').find(({ type }) => type !== 'ImportDeclaration');
  if (first) {
    const { start } = first;
    found.unshift({ title: 'its lines moved down', edits: [{ start, end: start, text: '\n\n\n' }] });
  }
  return found;
}

/** The first argument of a new error, where it is a text. Errors within it keep theirs. */
function messageOf(node: SyntaxNode, text: string): SyntaxNode | null {
  const callee = node.type === 'NewExpression' ? memberOf(node, 'callee') : null;
  if (!callee || !text.slice(callee.start, callee.end).endsWith('Error')) return null;
  const [message] = listOf(node, 'arguments');
  return message && isText(message) ? message : null;
}

function isText(node: SyntaxNode): boolean {
  if (node.type === 'BinaryExpression') {
    const left = memberOf(node, 'left');
    return node['operator'] === '+' && left !== null && isText(left);
  }
  return node.type === 'StringLiteral' || (node.type === 'TemplateLiteral' && !nestsError(node));
}

const nestsError = (node: SyntaxNode): boolean =>
  childrenOf(node).some((child) => child.type === 'NewExpression' || nestsError(child));

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
