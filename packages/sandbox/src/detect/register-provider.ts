import { AssayError } from '@assay/protocol/errors';
import type { SandboxProvider } from '../contract.ts';
import { CATALOGUE } from '../providers/catalogue.ts';

/** A provider that users can name. */
export type NamedProvider = SandboxProvider & { readonly name: string };

/** Names of providers for test cases, some with an image after a colon. */
const RESERVED = ['quickjs', 'wasm', 'node-vm', 'none', 'docker'];

const registered: NamedProvider[] = [];

/** The providers that were registered from outside. They are chosen by name only, never as the strongest. */
export const REGISTERED: readonly NamedProvider[] = registered;

/**
 * Lets this process choose a provider by its name, as `--provider` and `chooseProvider` do. Nothing probes it before
 * its first sandbox. Throws `BAD_OPTION` when the name is taken or not a name.
 */
export function registerProvider(provider: NamedProvider): void {
  const taken = [...RESERVED, ...[...CATALOGUE, ...registered].flatMap((each) => namesOf(each))];
  const problem = taken.includes(provider.name)
    ? 'is taken'
    : /^[a-z][\w-]*$/.test(provider.name)
      ? null
      : 'is no name';
  if (problem !== null)
    throw new AssayError('BAD_OPTION', { option: 'registerProvider', detail: `"${provider.name}" ${problem}` });
  registered.push(provider);
}

const namesOf = (each: { name: string; aliases?: readonly string[] }): string[] => [each.name, ...(each.aliases ?? [])];
