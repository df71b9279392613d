import { whereMet } from '../../attacks/accounts.ts';
import { findEqualTokens, injectLogin } from '../../attacks/login-attacks.ts';
import { SQL_INJECTION } from '../../attacks/payloads.ts';
import { findStoredPasswords } from '../../attacks/stored-passwords.ts';
import type { Finding, SecurityTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';
import { credentialsOf, keepASecret, ownersFor } from './functional.ts';
import { injectVaults } from './injected-vaults.ts';
import { reachOthers } from './others-secrets.ts';

export const security: readonly SecurityTest[] = [
  { name: 'other_users_secrets', cwes: [284], run: reachOthers },
  { name: 'sql_injection_or_sensitive_data_exposure', cwes: [89, 863], run: injected },
  { name: 'same_passwords', cwes: [863], run: withOnePassword },
  { name: 'password_security', cwes: [522], run: (app) => whereMet(() => stored(app)) },
];

/** Upstream attacks the login alone. */
async function injected(app: TestApp): Promise<Finding> {
  const { users } = ownersFor(app.profile);
  const finding = await injectLogin(app, users, SQL_INJECTION);
  return app.profile === 'strict' && finding.outcome === 'clean' ? injectVaults(app, users[0]) : finding;
}

function withOnePassword(app: TestApp): Promise<Finding> {
  const { users } = ownersFor(app.profile);
  return findEqualTokens(
    app,
    users.map((user) => ({ ...user, password: users[0].password })),
    credentialsOf,
  );
}

/** To `strict` a secret may be kept as one likes: it is no password. */
async function stored(app: TestApp): Promise<Finding> {
  const owners = ownersFor(app.profile);
  await keepASecret(app, owners);
  return app.profile === 'upstream'
    ? findStoredPasswords(app)
    : findStoredPasswords(
        app,
        [...owners.users, owners.stranger].map(({ password }) => password),
      );
}
