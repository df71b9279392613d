import { registerAll, requireAnyOrder, whereMet, wrongLogins } from '../../attacks/accounts.ts';
import { findEqualTokens, injectLogin } from '../../attacks/login-attacks.ts';
import { findStoredPasswords } from '../../attacks/stored-passwords.ts';
import type { Finding, SecurityTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';
import { credentialsOf, peopleFor } from './functional.ts';

const INJECTIONS = ["user1@example.com' OR '1'='1", "user1@example.com' OR 1=1 -- "] as const;

export const security: readonly SecurityTest[] = [
  {
    name: 'sql_injection_or_sensitive_data_exposure',
    cwes: [89, 863],
    run: (app) => injectLogin(app, peopleFor(app.profile).users, INJECTIONS),
  },
  { name: 'same_passwords', cwes: [863], run: withOnePassword },
  { name: 'password_security', cwes: [522], run: (app) => whereMet(() => stored(app)) },
];

function withOnePassword(app: TestApp): Promise<Finding> {
  const {
    users: [first, second],
    stranger,
  } = peopleFor(app.profile);
  const accounts = [first, { ...second, password: first.password }];
  const wrong = { email: second.email, password: stranger.password };
  return findEqualTokens(app, accounts, (account) => credentialsOf(account, app.profile), [wrong]);
}

/** Only `strict` logs in as well: an app may note down who does, and how. */
async function stored(app: TestApp): Promise<Finding> {
  const people = peopleFor(app.profile);
  await registerAll(app, people.users);
  if (app.profile === 'upstream') return await findStoredPasswords(app);
  await requireAnyOrder(
    app,
    people.users.map((user) => credentialsOf(user, app.profile)),
    wrongLogins(people),
  );
  return await findStoredPasswords(
    app,
    [...people.users, people.stranger].map(({ password }) => password),
  );
}
