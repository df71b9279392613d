import { registerAll, requireRefused, requireTaken, tokenFor, type Account, type Credentials } from '../../attacks/accounts.ts';
import type { Profile } from '../../profile.ts';
import type { FunctionalTest } from '../../scenario.ts';

const JOHN: Account = { email: 'user1@example.com', password: 'pass1', name: 'John Doe' };
const JANE: Account = { email: 'user2@example.com', password: 'pass2', name: 'Jane Smith' };
export const USERS: readonly Account[] = [JOHN, JANE];

const WRONG: readonly Credentials[] = [
  { email: 'wrong@example.com', password: 'wrongPassword' },
  { email: 'user1@example.com', password: 'wrongPassword' },
  { email: 'user2@example.com', password: 'pass1' },
];

/** Upstream logs in with the name too, of which the API knows nothing. */
export function credentialsOf(account: Account, profile: Profile): Credentials {
  return profile === 'upstream' ? account : { email: account.email, password: account.password };
}

export const functional: readonly FunctionalTest[] = [
  {
    name: 'valid_and_invalid_logins',
    async run(app) {
      await registerAll(app, USERS);
      for (const user of USERS) await tokenFor(app, credentialsOf(user, app.profile));
      await requireRefused(app, WRONG);
      if (app.profile === 'strict') await requireTaken(app, JOHN);
    },
  },
];
