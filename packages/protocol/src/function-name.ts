const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const LONGEST = 200;
/** Names that lead to the language itself, not to what a submission defines. */
const REFUSED = new Set([
  '__proto__',
  'prototype',
  'constructor',
  'arguments',
  'eval',
  'globalThis',
  'this',
  'super',
  'new',
  'import',
  'function',
  'return',
  'null',
  'true',
  'false',
  'class',
  'typeof',
  'void',
  'delete',
  'await',
  'yield',
  'async',
  'let',
  'const',
  'var',
  'if',
  'else',
  'for',
  'while',
  'do',
  'switch',
  'case',
  'default',
  'break',
  'continue',
  'throw',
  'try',
  'catch',
  'finally',
  'with',
  'in',
  'instanceof',
  'debugger',
  'export',
  'extends',
  'enum',
  'static',
  'undefined',
]);

/**
 * Returns what is wrong with the name of a function to test, or null. A name is an identifier, or identifiers joined by
 * dots: `merge`, `Solution.merge`. Anything else is refused, because the name is spliced into code.
 */
export function functionNameProblem(name: string): string | null {
  if (name === '') return 'expected the name of a function';
  if (name.length > LONGEST) return `expected at most ${LONGEST} characters`;
  for (const part of name.split('.')) {
    if (!IDENTIFIER.test(part)) return 'expected an identifier, or identifiers joined by dots';
    if (REFUSED.has(part)) return `${part} is no name that a submission can define`;
  }
  return null;
}
