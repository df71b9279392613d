import { randomInt } from 'node:crypto';
import {
  registerAll,
  requireAnyOrder,
  requireRefused,
  requireTaken,
  tokenAsUpstream,
  tokenFor,
  wrongLogins,
  type Account,
  type Credentials,
  type People,
} from '../../attacks/accounts.ts';
import { openDraw } from '../../attacks/drawn.ts';
import type { FunctionalTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';

/** Whom upstream registers. */
export const PEOPLE: People = {
  users: [
    { email: 'user1@example.com', password: 'pass1', name: 'John Doe' },
    { email: 'user2@example.com', password: 'pass2', name: 'Jane Smith' },
  ],
  stranger: { email: 'wrong@example.com', password: 'wrongPassword' },
};

/** Others each time. Nothing about a stranger tells that nobody has registered under that name. */
export function drawPeople(): People {
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

/** Upstream logs in with the whole account: the name too, of which the API knows nothing. */
export const credentialsOf = ({ email, password }: Account): Credentials => ({ email, password });

export const functional: readonly FunctionalTest[] = [
  { name: 'valid_and_invalid_logins', strict: logsIn, upstream: logsInAsUpstream },
];

async function logsInAsUpstream(app: TestApp): Promise<void> {
  await registerAll(app, PEOPLE.users);
  for (const user of PEOPLE.users) await tokenAsUpstream(app, user);
  await requireRefused(app, wrongLogins(PEOPLE));
}

async function logsIn(app: TestApp): Promise<void> {
  const people = drawPeople();
  const [first, second] = people.users;
  const again = randomInt(2) === 0 ? 'at once' : 'later';
  await registerAll(app, [first]);
  if (again === 'at once') await requireTaken(app, first);
  await registerAll(app, [second]);
  if (again === 'later') await requireTaken(app, first);
  await requireAnyOrder(app, people.users.map(credentialsOf), wrongLogins(people), tokenFor);
}
