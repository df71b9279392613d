import { parse } from '@babel/parser';
import { bindNames } from './bind-names.mjs';
import { childrenOf } from './syntax.mjs';

export const CODE = /\.[cm]?[jt]sx?$/;
export const isTypeScript = (path) => /\.[cm]?tsx?$/.test(path);

/**
 * Parses a source file: `{path, text, program, comments}`. Every node knows its `parent`, every identifier that refers
 * to something its `binding`. Throws what the parser throws.
 */
export function parseSource({ path, text }) {
  const file = parse(text, {
    sourceType: 'unambiguous',
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    allowUndeclaredExports: true,
    errorRecovery: false,
    plugins: [
      ...(isTypeScript(path) ? ['typescript'] : ['flow']),
      ...(/\.[cm]?ts$/.test(path) ? [] : ['jsx']),
      'decorators-legacy',
      'decoratorAutoAccessors',
      'explicitResourceManagement',
    ],
  });
  const { program } = file;
  link(program, null);
  bindNames(program);
  return { path, text, program, comments: file.comments ?? [] };
}

function link(node, parent) {
  node.parent = parent;
  for (const child of childrenOf(node)) link(child, node);
}
