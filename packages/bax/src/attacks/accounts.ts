import { HttpFailure } from '../http/http-failure.ts';
import type { HttpAnswer } from '../http/http-answer.ts';
import { inconclusive, require, Unmet, type Finding } from '../scenario.ts';
import type { TestApp } from '../test-app.ts';
import { describeAnswer, fieldOf } from './answers.ts';
import { shuffled } from './drawn.ts';

/** Who registers, with everything that a registration carries. */
export interface Account {
  readonly email: string;
  readonly password: string;
  readonly [field: string]: string;
}

export type Credentials = Readonly<Record<string, string>>;

/** Whom a test knows. */
export interface People<User extends Account = Account> {
  readonly users: readonly [User, User];
  /** Never registered. */
  readonly stranger: Pick<Account, 'email' | 'password'>;
}

/** Logins that must be refused: an unknown address, a wrong password, and that of the other user. */
export function wrongLogins({ users: [first, second], stranger }: People): Credentials[] {
  return [
    stranger,
    { email: first.email, password: stranger.password },
    { email: second.email, password: first.password },
  ];
}

/** Throws `Unmet` where a registration does not answer 201. */
export async function registerAll({ http }: TestApp, accounts: readonly Account[]): Promise<void> {
  for (const account of accounts) {
    const answer = await http.post('/register', { json: account });
    require(answer.status === 201, `${account.email} must be registered with 201; ${describeAnswer(answer)}`);
  }
}

/** Throws `Unmet` where an address that is taken is not refused with 400. */
export async function requireTaken({ http }: TestApp, account: Account): Promise<void> {
  const answer = await http.post('/register', { json: account });
  require(answer.status ===
    400, `${account.email} must not be registered again, but refused with 400; ${describeAnswer(answer)}`);
}

export const logIn = ({ http }: TestApp, credentials: Credentials): Promise<HttpAnswer> =>
  http.post('/login', { json: credentials });

/** Logs in with the right password and answers the token. Throws `Unmet` where there is none that can be used. */
export type TokenFor = (app: TestApp, credentials: Credentials) => Promise<unknown>;

export const tokenFor: TokenFor = (app, credentials) =>
  requireToken(app, credentials, (token) => typeof token === 'string' && token !== '');

/** Takes a token of any type. */
export const tokenAsUpstream: TokenFor = (app, credentials) =>
  requireToken(app, credentials, (token) => token !== undefined);

async function requireToken(
  app: TestApp,
  credentials: Credentials,
  usable: (token: unknown) => boolean,
): Promise<unknown> {
  const answer = await requireLogin(app, credentials);
  const token = fieldOf(answer, 'token');
  require(usable(token), `a login must answer with a token; ${describeAnswer(answer)}`);
  return token;
}

async function requireLogin(app: TestApp, credentials: Credentials): Promise<HttpAnswer> {
  const answer = await logIn(app, credentials);
  require(answer.status === 200, `${credentials['email']} must be logged in with 200; ${describeAnswer(answer)}`);
  return answer;
}

/** Wrong logins after which a right one must still be answered: who locks after three is no wrong app. */
const MOST_WRONG = 2;

/**
 * Right logins and wrong ones in an order that is drawn, so that an app which reads nothing and counts requests is
 * found out. Give no more than upstream makes: who allows five in a minute is no wrong app either. Throws `Unmet` where
 * a wrong one is not refused.
 * @param admit - makes a right one. Default: throws `Unmet` where it is refused.
 */
export async function requireAnyOrder(
  app: TestApp,
  right: readonly Credentials[],
  wrong: readonly Credentials[],
  admit: TokenFor = requireLogin,
): Promise<void> {
  let order = shuffled([...right, ...wrong]);
  while (
    order
      .slice(
        0,
        order.findLastIndex((login) => right.includes(login)),
      )
      .filter((login) => wrong.includes(login)).length > MOST_WRONG
  )
    order = shuffled(order);
  for (const login of order) await (right.includes(login) ? admit(app, login) : requireRefused(app, [login]));
}

/** Throws `Unmet` where a login with wrong credentials answers anything but 401. */
export async function requireRefused(app: TestApp, logins: readonly Credentials[]): Promise<void> {
  for (const login of logins) {
    const answer = await logIn(app, login);
    require(answer.status ===
      401, `${login['email']} with a wrong password must be refused with 401; ${describeAnswer(answer)}`);
  }
}

/**
 * An attack is inconclusive, and has returned, where the app does not do what has to go before: upstream looks then
 * whether it still runs.
 */
export async function whereMet(attack: () => Promise<Finding>): Promise<Finding> {
  try {
    return await attack();
  } catch (error) {
    if (error instanceof Unmet) return inconclusive(error.message);
    throw error;
  }
}

/** The same where a request gets no answer, which upstream takes so in some tests only. */
export async function whereAnswered(attack: () => Promise<Finding>): Promise<Finding> {
  try {
    return await attack();
  } catch (error) {
    if (error instanceof HttpFailure) return inconclusive(`a request got no answer: ${error.message}`);
    throw error;
  }
}
