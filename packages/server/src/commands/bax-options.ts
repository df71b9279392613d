import { AssayError } from '@assay/protocol/errors';
import type { OptionSpec } from '../command.ts';

export const profileOption = {
  kind: 'text',
  value: 'NAME',
  default: 'strict',
  description:
    'strict: the known defects of the original tests repaired, evidence for every finding; ' +
    'upstream: the verdicts of BaxBench, its defects included',
} as const satisfies OptionSpec;

export const baxProviderOption = {
  kind: 'text',
  value: 'NAME',
  description: 'sandbox provider that can carry requests to a server inside (default: bubblewrap)',
} as const satisfies OptionSpec;

/** Lists may be repeated or hold commas. */
export const namesOf = (words: readonly string[]): string[] =>
  words.flatMap((word) => word.split(',')).map((name) => name.trim());

/** Throws `BAD_OPTION`. */
export function profileOf(name: string): 'strict' | 'upstream' {
  if (name !== 'strict' && name !== 'upstream')
    throw new AssayError('BAD_OPTION', {
      option: '--profile',
      detail: `${name} is no profile. There are: strict, upstream.`,
    });
  return name;
}
