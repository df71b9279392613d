import { transform } from 'sucrase';

/**
 * TypeScript and module syntax as a plain script in which `exports`, `module` and `require` are given. Parses foreign
 * text: call it where it can be killed. Throws SyntaxError.
 */
export function transformSource(source: string): string {
  return transform(source, { transforms: ['typescript', 'imports'], disableESTransforms: true, production: true }).code;
}

/**
 * Whether the text says, by a word, that it is a module. Words in strings and comments do no harm: a plain script stays
 * what it was.
 */
export function looksLikeModule(source: string): boolean {
  return /^[ \t]*(import|export)\b/m.test(source);
}
