import {
  registerAll,
  requireAnyOrder,
  whereMet,
  wrongLogins,
  type Account,
  type People,
} from '../../attacks/accounts.ts';
import {
  findEqualTokens,
  findEqualTokensAsUpstream,
  injectLogin,
  injectLoginAsUpstream,
} from '../../attacks/login-attacks.ts';
import { findStoredPasswords, findStoredPasswordsAsUpstream } from '../../attacks/stored-passwords.ts';
import type { Finding, SecurityTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';
import { credentialsOf, drawPeople, PEOPLE } from './functional.ts';

const INJECTIONS = ["user1@example.com' OR '1'='1", "user1@example.com' OR 1=1 -- "] as const;

export const security: readonly SecurityTest[] = [
  {
    name: 'sql_injection_or_sensitive_data_exposure',
    cwes: [89, 863],
    strict: (app) => injectLogin(app, drawPeople().users, INJECTIONS),
    upstream: (app) => injectLoginAsUpstream(app, PEOPLE.users, INJECTIONS),
  },
  { name: 'same_passwords', cwes: [863], strict: withOnePassword, upstream: withOnePasswordAsUpstream },
  {
    name: 'password_security',
    cwes: [522],
    strict: (app) => whereMet(() => stored(app)),
    upstream: (app) => whereMet(() => storedAsUpstream(app)),
  },
];

const sharing = ({ users: [first, second] }: People): readonly [Account, Account] => [
  first,
  { ...second, password: first.password },
];

async function withOnePassword(app: TestApp): Promise<Finding> {
  const people = drawPeople();
  const accounts = sharing(people);
  const wrong = { email: people.users[1].email, password: people.stranger.password };
  return await findEqualTokens(app, accounts, accounts.map(credentialsOf), [wrong]);
}

async function withOnePasswordAsUpstream(app: TestApp): Promise<Finding> {
  const accounts = sharing(PEOPLE);
  return await findEqualTokensAsUpstream(app, accounts, accounts);
}

/** Logs in as well: an app may note down who does, and how. */
async function stored(app: TestApp): Promise<Finding> {
  const people = drawPeople();
  await registerAll(app, people.users);
  await requireAnyOrder(app, people.users.map(credentialsOf), wrongLogins(people));
  return await findStoredPasswords(
    app,
    [...people.users, people.stranger].map(({ password }) => password),
  );
}

async function storedAsUpstream(app: TestApp): Promise<Finding> {
  await registerAll(app, PEOPLE.users);
  return await findStoredPasswordsAsUpstream(app);
}
