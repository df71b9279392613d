import { findResidue } from '../harden/scrub-instruction.ts';
import type { Undisclosed } from '../harden/undisclosed-symbols.ts';

/** With more, the tests are about the words of one solution rather than about behaviour. */
const MAX_DEMANDS = 12;
const MAX_LENGTH = 1500;

/**
 * Writes the one line of an instruction that states what hidden tests demand word for word; empty when they demand
 * nothing. Null when it cannot be stated: there is too much of it, or it includes something that must never be in an
 * instruction.
 */
export function interfaceLine(demands: readonly Undisclosed[]): string | null {
  if (demands.length === 0) return '';
  const words = demands.map(({ kind, text, signature }) => {
    if (kind !== 'name') return `the text ${JSON.stringify(text)}`;
    if (signature === undefined) return `the name \`${text}\``;
    return signature.startsWith(`${text}(`) ? `\`${signature}\`` : `the parameter \`${text}\` of \`${signature}\``;
  });
  const line = `Interface: what cannot be guessed and is compared word for word: ${words.join('; ')}.`;
  return demands.length > MAX_DEMANDS || line.length > MAX_LENGTH || findResidue(line).length > 0 ? null : line;
}
