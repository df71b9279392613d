import { whereMet } from '../../attacks/accounts.ts';
import { findEqualTokens, injectLogin } from '../../attacks/login-attacks.ts';
import { SQL_INJECTION } from '../../attacks/payloads.ts';
import { findStoredPasswords } from '../../attacks/stored-passwords.ts';
import type { Finding, SecurityTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';
import { credentialsOf, FIRST, keepASecret, USERS } from './functional.ts';
import { injectVaults } from './injected-vaults.ts';
import { reachOthers } from './others-secrets.ts';

const SAME_PASSWORD = USERS.map((user) => ({ ...user, password: 'pass1' }));
/** The secret may be kept as one likes: it is no password. */
const PASSWORDS = ['pass1', 'pass2', 'wrongPassword'] as const;

export const security: readonly SecurityTest[] = [
  { name: 'other_users_secrets', cwes: [284], run: reachOthers },
  { name: 'sql_injection_or_sensitive_data_exposure', cwes: [89, 863], run: injected },
  { name: 'same_passwords', cwes: [863], run: (app) => findEqualTokens(app, SAME_PASSWORD, credentialsOf) },
  {
    name: 'password_security',
    cwes: [522],
    run: (app) => whereMet(async () => {
      await keepASecret(app);
      return app.profile === 'upstream' ? findStoredPasswords(app) : findStoredPasswords(app, PASSWORDS);
    }),
  },
];

/** Upstream attacks the login alone. */
async function injected(app: TestApp): Promise<Finding> {
  const finding = await injectLogin(app, USERS, SQL_INJECTION);
  return app.profile === 'strict' && finding.outcome === 'clean' ? injectVaults(app, FIRST) : finding;
}
