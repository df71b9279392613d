import { AssayError } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';

const SECRET_NAME = /(^|_)(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|PRIVATE|MNEMONIC|SEED)(_|$)/i;
const MOST_NAMES = 5;

/** Names of variables that look as if they held a secret. */
export function secretVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(environment)
    .filter((name) => SECRET_NAME.test(name) && (environment[name] ?? '') !== '')
    .sort();
}

/**
 * Throws `SECRETS_EXPOSED` when the provider is no boundary and this process's environment looks as if it held secrets.
 */
export function refuseExposedSecrets(provider: SandboxProvider): void {
  if (provider.isolation !== 'none') return;
  const names = secretVariables(process.env);
  if (names.length === 0) return;
  const variables = `${names.slice(0, MOST_NAMES).join(', ')}${names.length > MOST_NAMES ? ', …' : ''}`;
  throw new AssayError('SECRETS_EXPOSED', { name: provider.name ?? 'the provider', variables });
}
