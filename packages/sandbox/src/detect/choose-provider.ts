import { AssayError } from '@assay/protocol/errors';
import { compareIsolation } from '@assay/protocol/isolation';
import type { SandboxProvider } from '../contract.ts';
import { CATALOGUE } from '../providers/catalogue.ts';
import { cachedProbe } from './cached-probe.ts';
import { REGISTERED } from './register-provider.ts';

/**
 * Returns the provider of that name (`bubblewrap`, `runc`, `runsc`, one that was registered) or level (`namespace`,
 * `gvisor`). Without a name returns the strongest of those that come with Assay and pass the whole probe. Throws
 * `UNKNOWN_PROVIDER`, `PROVIDER_UNAVAILABLE` when the named one does not start, and `NO_PROVIDER` when none does.
 */
export async function chooseProvider(name?: string): Promise<SandboxProvider> {
  return name === undefined ? chooseStrongest() : chooseNamed(name);
}

async function chooseNamed(name: string): Promise<SandboxProvider> {
  const own = REGISTERED.find((provider) => provider.name === name);
  if (own) return own;
  const entry = CATALOGUE.find((candidate) => candidate.name === name || candidate.aliases.includes(name));
  if (!entry) {
    const known = [
      ...CATALOGUE.flatMap(({ name: first, aliases }) => [first, ...aliases]),
      ...REGISTERED.map((each) => each.name),
    ];
    throw new AssayError('UNKNOWN_PROVIDER', { name, known: known.join(', ') });
  }
  const probe = await cachedProbe(entry);
  if (!probe.starts) {
    throw new AssayError('PROVIDER_UNAVAILABLE', {
      name: entry.name,
      detail: probe.problems.join('; '),
      hint: installHint(probe.install),
    });
  }
  return entry.make();
}

async function chooseStrongest(): Promise<SandboxProvider> {
  const strongestFirst = CATALOGUE.toSorted((a, b) => compareIsolation(b.isolation, a.isolation));
  for (const entry of strongestFirst) {
    const probe = await cachedProbe(entry);
    if (probe.starts && probe.problems.length === 0) return entry.make();
  }
  throw new AssayError('NO_PROVIDER', {
    hint: `${installHint('apt-get install bubblewrap')} \`assay doctor\` says more.`,
  });
}

function installHint(command: string | undefined): string {
  return command === undefined ? '' : `Install it: ${command}.`;
}
