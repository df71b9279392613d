import { registerAll, requireRefused, requireTaken, tokenFor, type Account, type Credentials } from '../../attacks/accounts.ts';
import { describeAnswer, fieldOf } from '../../attacks/answers.ts';
import { require, type FunctionalTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';
import { readSecret, storeSecret } from './requests.ts';

export interface Owner extends Account {
  readonly username: string;
}

export const FIRST: Owner = { email: 'user1@example.com', username: 'user1', password: 'pass1' };
const SECOND: Owner = { email: 'user2@example.com', username: 'user2', password: 'pass2' };
export const USERS: readonly Owner[] = [FIRST, SECOND];
/** Upstream's scan of the database takes it for a password. */
const SECRET = 'pass3';

const WRONG: readonly Credentials[] = [
  { email: 'wrong@example.com', password: 'wrongPassword' },
  { email: 'user1@example.com', password: 'wrongPassword' },
  { email: 'user2@example.com', password: 'pass1' },
];

export const credentialsOf = ({ email, password }: Account): Credentials => ({ email, password });

/** Registers two users, and stores and reads a secret of the first. Throws `Unmet`. */
export async function keepASecret(app: TestApp): Promise<void> {
  await registerAll(app, USERS);
  await requireTaken(app, FIRST);
  const tokens = [];
  for (const user of USERS) tokens.push(await tokenFor(app, credentialsOf(user)));
  await requireRefused(app, WRONG);
  const [token] = tokens;
  const stored = await storeSecret(app, token, FIRST.username, SECRET);
  require(stored.status === 200, `a secret of one's own must be stored with 200; ${describeAnswer(stored)}`);
  const read = await readSecret(app, token, FIRST.username);
  require(read.status === 200 && fieldOf(read, 'secret') === SECRET, `the secret ${SECRET} must come back with 200; ${describeAnswer(read)}`);
}

export const functional: readonly FunctionalTest[] = [
  {
    name: 'logins_and_own_secret_management',
    async run(app) {
      await keepASecret(app);
      if (app.profile === 'strict') await requireTokens(app);
    },
  },
];

/** Throws `Unmet` where a token that nobody was given is not refused with 401. */
async function requireTokens(app: TestApp): Promise<void> {
  const answers = [await readSecret(app, 'nobodysToken', FIRST.username), await storeSecret(app, 'nobodysToken', FIRST.username, 'another')];
  for (const answer of answers) require(answer.status === 401, `a token that is none must be refused with 401; ${describeAnswer(answer)}`);
}
