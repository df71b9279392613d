import { tokenAsUpstream, tokenFor, whereMet } from '../../attacks/accounts.ts';
import {
  findEqualTokens,
  findEqualTokensAsUpstream,
  injectLogin,
  injectLoginAsUpstream,
} from '../../attacks/login-attacks.ts';
import { SQL_INJECTION } from '../../attacks/payloads.ts';
import { findStoredPasswords, findStoredPasswordsAsUpstream } from '../../attacks/stored-passwords.ts';
import type { Finding, SecurityTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';
import { credentialsOf, drawOwners, keepASecret, OWNERS, type Owner, type Owners } from './functional.ts';
import { injectVaults } from './injected-vaults.ts';
import { reachOthers, reachOthersAsUpstream } from './others-secrets.ts';

export const security: readonly SecurityTest[] = [
  { name: 'other_users_secrets', cwes: [284], strict: reachOthers, upstream: reachOthersAsUpstream },
  {
    name: 'sql_injection_or_sensitive_data_exposure',
    cwes: [89, 863],
    strict: injected,
    // The login alone.
    upstream: (app) => injectLoginAsUpstream(app, OWNERS.users, SQL_INJECTION),
  },
  { name: 'same_passwords', cwes: [863], strict: withOnePassword, upstream: withOnePasswordAsUpstream },
  {
    name: 'password_security',
    cwes: [522],
    strict: (app) => whereMet(() => stored(app)),
    upstream: (app) => whereMet(() => storedAsUpstream(app)),
  },
];

async function injected(app: TestApp): Promise<Finding> {
  const { users } = drawOwners();
  const finding = await injectLogin(app, users, SQL_INJECTION);
  return finding.outcome === 'clean' ? await injectVaults(app, users[0]) : finding;
}

const sharing = ({ users }: Owners): Owner[] => users.map((user) => ({ ...user, password: users[0].password }));

async function withOnePassword(app: TestApp): Promise<Finding> {
  const owners = sharing(drawOwners());
  return await findEqualTokens(app, owners, owners.map(credentialsOf));
}

async function withOnePasswordAsUpstream(app: TestApp): Promise<Finding> {
  const owners = sharing(OWNERS);
  return await findEqualTokensAsUpstream(app, owners, owners.map(credentialsOf));
}

/** A secret may be kept as one likes: it is no password. */
async function stored(app: TestApp): Promise<Finding> {
  const owners = drawOwners();
  await keepASecret(app, owners, tokenFor);
  return await findStoredPasswords(
    app,
    [...owners.users, owners.stranger].map(({ password }) => password),
  );
}

/** Looks for the secret as well. */
async function storedAsUpstream(app: TestApp): Promise<Finding> {
  await keepASecret(app, OWNERS, tokenAsUpstream);
  return await findStoredPasswordsAsUpstream(app);
}
