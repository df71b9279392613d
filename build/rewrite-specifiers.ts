import ts from 'typescript';

/**
 * Replaces what a JavaScript or declaration file names of other modules by what `rewrite` says: in every form of import
 * and export, and where a source is addressed from `import.meta`, as `new URL('worker.ts', import.meta.url)` does.
 */
export function rewriteSpecifiers(fileName: string, text: string, rewrite: (specifier: string) => string): string {
  const file = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest);
  const found: [literal: ts.StringLiteral, rewritten: string][] = [];
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier && ts.isStringLiteral(specifier)) found.push([specifier, rewrite(specifier.text)]);
    for (const address of addressesIn(node)) {
      const rewritten = rewrite(address.text.startsWith('.') ? address.text : `./${address.text}`);
      found.push([address, rewritten]);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  let result = text;
  for (const [literal, rewritten] of found.toSorted(([a], [b]) => b.getStart(file) - a.getStart(file)))
    result = `${result.slice(0, literal.getStart(file) + 1)}${rewritten}${result.slice(literal.getEnd() - 1)}`;
  return result;
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0];
  return ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
}

/** Paths of sources among the arguments of a call that has a property of `import.meta` among them as well. */
function addressesIn(node: ts.Node): ts.StringLiteral[] {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return [];
  const given = node.arguments ?? [];
  const isOfHere = given.some(
    (argument) => ts.isPropertyAccessExpression(argument) && ts.isMetaProperty(argument.expression),
  );
  const texts = given.flatMap((argument) => (ts.isStringLiteral(argument) ? [argument] : []));
  return isOfHere ? texts.filter(({ text }) => text.endsWith('.ts')) : [];
}
