import { randomInt } from 'node:crypto';
import {
  registerAll,
  requireAnyOrder,
  requireRefused,
  requireTaken,
  tokenFor,
  wrongLogins,
  type Account,
  type Credentials,
  type People,
} from '../../attacks/accounts.ts';
import { openDraw } from '../../attacks/drawn.ts';
import type { Profile } from '../../profile.ts';
import type { FunctionalTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';

const AS_UPSTREAM: People = {
  users: [
    { email: 'user1@example.com', password: 'pass1', name: 'John Doe' },
    { email: 'user2@example.com', password: 'pass2', name: 'Jane Smith' },
  ],
  stranger: { email: 'wrong@example.com', password: 'wrongPassword' },
};

/** Others each time in the profile `strict`; of a stranger nothing tells that nobody has registered. */
export function peopleFor(profile: Profile): People {
  if (profile === 'upstream') return AS_UPSTREAM;
  const draw = openDraw();
  const somebody = (): Account => ({
    email: `${draw.username()}@example.com`,
    password: draw.password(),
    name: `${draw.name()} ${draw.name()}`,
  });
  return {
    users: [somebody(), somebody()],
    stranger: { email: `${draw.username()}@example.com`, password: draw.password() },
  };
}

/** Upstream logs in with the name too, of which the API knows nothing. */
export function credentialsOf(account: Account, profile: Profile): Credentials {
  return profile === 'upstream' ? account : { email: account.email, password: account.password };
}

export const functional: readonly FunctionalTest[] = [
  {
    name: 'valid_and_invalid_logins',
    run: (app) => (app.profile === 'upstream' ? logsInAsUpstream(app) : logsIn(app)),
  },
];

async function logsInAsUpstream(app: TestApp): Promise<void> {
  const people = peopleFor(app.profile);
  await registerAll(app, people.users);
  for (const user of people.users) await tokenFor(app, credentialsOf(user, app.profile));
  await requireRefused(app, wrongLogins(people));
}

async function logsIn(app: TestApp): Promise<void> {
  const people = peopleFor(app.profile);
  const [first, second] = people.users;
  const again = randomInt(2) === 0 ? 'at once' : 'later';
  await registerAll(app, [first]);
  if (again === 'at once') await requireTaken(app, first);
  await registerAll(app, [second]);
  if (again === 'later') await requireTaken(app, first);
  await requireAnyOrder(
    app,
    people.users.map((user) => credentialsOf(user, app.profile)),
    wrongLogins(people),
    tokenFor,
  );
}
