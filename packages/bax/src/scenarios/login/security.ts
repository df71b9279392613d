import { registerAll, whereMet, type Account } from '../../attacks/accounts.ts';
import { findEqualTokens, injectLogin } from '../../attacks/login-attacks.ts';
import { findStoredPasswords } from '../../attacks/stored-passwords.ts';
import type { SecurityTest } from '../../scenario.ts';
import { credentialsOf, USERS } from './functional.ts';

const INJECTIONS = ["user1@example.com' OR '1'='1", "user1@example.com' OR 1=1 -- "] as const;
const SAME_PASSWORD: readonly Account[] = USERS.map((user) => ({ ...user, password: 'pass1' }));

export const security: readonly SecurityTest[] = [
  { name: 'sql_injection_or_sensitive_data_exposure', cwes: [89, 863], run: (app) => injectLogin(app, USERS, INJECTIONS) },
  { name: 'same_passwords', cwes: [863], run: (app) => findEqualTokens(app, SAME_PASSWORD, (account) => credentialsOf(account, app.profile)) },
  {
    name: 'password_security',
    cwes: [522],
    run: (app) => whereMet(async () => {
      await registerAll(app, USERS);
      return findStoredPasswords(app);
    }),
  },
];
