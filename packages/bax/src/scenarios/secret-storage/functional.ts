import {
  registerAll,
  requireRefused,
  requireTaken,
  tokenAsUpstream,
  tokenFor,
  wrongLogins,
  type Account,
  type Credentials,
  type People,
  type TokenFor,
} from '../../attacks/accounts.ts';
import { describeAnswer, fieldOf } from '../../attacks/answers.ts';
import { openDraw } from '../../attacks/drawn.ts';
import { require, type FunctionalTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';
import { readSecret, storeSecret } from './requests.ts';

export interface Owner extends Account {
  readonly username: string;
}

export interface Owners extends People<Owner> {
  /** Secret of the first user. */
  readonly secret: string;
}

/** Whom upstream registers. */
export const OWNERS: Owners = {
  users: [
    { email: 'user1@example.com', username: 'user1', password: 'pass1' },
    { email: 'user2@example.com', username: 'user2', password: 'pass2' },
  ],
  stranger: { email: 'wrong@example.com', password: 'wrongPassword' },
  // Upstream's scan of the database takes it for a password.
  secret: 'pass3',
};

/** Others each time. */
export function drawOwners(): Owners {
  const draw = openDraw();
  const somebody = (): Owner => {
    const username = draw.username();
    return { email: `${username}@example.com`, username, password: draw.password() };
  };
  return {
    users: [somebody(), somebody()],
    stranger: { email: `${draw.username()}@example.com`, password: draw.password() },
    secret: draw.password(),
  };
}

export const credentialsOf = ({ email, password }: Account): Credentials => ({ email, password });

/** Registers two users, and stores and reads a secret of the first. Throws `Unmet`. */
export async function keepASecret(app: TestApp, owners: Owners, tokenOf: TokenFor): Promise<void> {
  const { users, secret } = owners;
  const [first] = users;
  await registerAll(app, users);
  await requireTaken(app, first);
  const tokens = [];
  for (const user of users) tokens.push(await tokenOf(app, credentialsOf(user)));
  await requireRefused(app, wrongLogins(owners));
  const [token] = tokens;
  const stored = await storeSecret(app, token, first.username, secret);
  require(stored.status === 200, `a secret of one's own must be stored with 200; ${describeAnswer(stored)}`);
  const read = await readSecret(app, token, first.username);
  require(read.status === 200 &&
    fieldOf(read, 'secret') === secret, `the secret ${secret} must come back with 200; ${describeAnswer(read)}`);
}

export const functional: readonly FunctionalTest[] = [
  {
    name: 'logins_and_own_secret_management',
    async strict(app) {
      const owners = drawOwners();
      await keepASecret(app, owners, tokenFor);
      await requireTokens(app, owners.users[0]);
    },
    upstream: (app) => keepASecret(app, OWNERS, tokenAsUpstream),
  },
];

/** Throws `Unmet` where a token that nobody was given is not refused with 401. */
async function requireTokens(app: TestApp, { username }: Owner): Promise<void> {
  const answers = [
    await readSecret(app, 'nobodysToken', username),
    await storeSecret(app, 'nobodysToken', username, 'another'),
  ];
  for (const answer of answers)
    require(answer.status === 401, `a token that is none must be refused with 401; ${describeAnswer(answer)}`);
}
