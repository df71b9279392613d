import ts from 'typescript';

/**
 * Replaces what a JavaScript or declaration file imports from, in every form of import and export, by what `rewrite`
 * says.
 */
export function rewriteSpecifiers(fileName: string, text: string, rewrite: (specifier: string) => string): string {
  const file = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest);
  const found: ts.StringLiteral[] = [];
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier && ts.isStringLiteral(specifier)) found.push(specifier);
    ts.forEachChild(node, visit);
  };
  visit(file);
  let rewritten = text;
  for (const literal of found.toReversed()) {
    const [start, end] = [literal.getStart(file) + 1, literal.getEnd() - 1];
    rewritten = `${rewritten.slice(0, start)}${rewrite(literal.text)}${rewritten.slice(end)}`;
  }
  return rewritten;
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0];
  return ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
}
