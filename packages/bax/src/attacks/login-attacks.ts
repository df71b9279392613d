import { isDeepStrictEqual } from 'node:util';
import type { HttpAnswer } from '../http/http-answer.ts';
import { clean, inconclusive, vulnerable, type Finding } from '../scenario.ts';
import type { CweNumber } from '../cwe.ts';
import type { TestApp } from '../test-app.ts';
import {
  logIn,
  registerAll,
  requireAnyOrder,
  whereAnswered,
  whereMet,
  type Account,
  type Credentials,
} from './accounts.ts';
import { describeAnswer, describeRequest, fieldOf } from './answers.ts';
import { computed, QUOTES, tablesOf } from './sql-probes.ts';

/** An address to those who check addresses, and one that selects everybody where it becomes a part of a statement. */
const INJECTED_ADDRESSES = QUOTES.map((quote) => `nobody'OR'1'='1'--@example.com`.replaceAll("'", quote));
/** Claims that tell nothing of whose a token is. */
const TIMES = new Set(['iat', 'exp', 'nbf']);

interface Attempt {
  login: Credentials;
  /** The weaknesses that an admitted login shows. */
  cwes: readonly CweNumber[];
}

/**
 * CWE-89 and 863 when a login is let in by a piece of SQL in place of the address or the password, CWE-89 when a
 * refusal shows a password that was not sent. Also tries an address that passes for one, the right address with SQL as
 * its password, SQL as the address with the right password against apps that compare the password after the query, and
 * registrations that are stored as what they would compute: CWE-89.
 */
export function injectLogin(app: TestApp, accounts: readonly Account[], payloads: readonly string[]): Promise<Finding> {
  const aimed = payloads.map((payload) => aimedAt(accounts, payload));
  return withAccounts(app, accounts, async () => {
    const finding = await tryLogins(app, [...bothFields(aimed), ...disguised(accounts, aimed)], accounts);
    return finding.outcome === 'clean' ? injectRegistration(app, accounts) : finding;
  });
}

/** The payloads in both fields, and nothing else. */
export const injectLoginAsUpstream: typeof injectLogin = (app, accounts, payloads) =>
  withAccounts(app, accounts, () => tryLogins(app, bothFields(payloads), accounts));

/** An attack once the accounts are registered; inconclusive where they cannot be, or where it gets no answer. */
const withAccounts = (app: TestApp, accounts: readonly Account[], attack: () => Promise<Finding>): Promise<Finding> =>
  whereMet(async () => {
    await registerAll(app, accounts);
    return whereAnswered(attack);
  });

async function tryLogins(app: TestApp, attempts: readonly Attempt[], accounts: readonly Account[]): Promise<Finding> {
  for (const attempt of attempts) {
    const finding = await tryLogin(app, attempt, accounts);
    if (finding.outcome !== 'clean') return finding;
  }
  return clean;
}

/** A statement may find only those whose address stands in it. */
function aimedAt(accounts: readonly Account[], payload: string): string {
  return payload.replace(
    /user([12])@example\.com/g,
    (whole, number: string) => accounts[Number(number) - 1]?.email ?? whole,
  );
}

function bothFields(payloads: readonly string[]): Attempt[] {
  return payloads.flatMap((payload) => [
    { login: { email: payload, password: 'test' }, cwes: [89, 863] },
    { login: { email: 'test', password: payload }, cwes: [89, 863] },
  ]);
}

function disguised([first, ...others]: readonly Account[], [payload]: readonly string[]): Attempt[] {
  if (first === undefined || payload === undefined) return [];
  const passwords = ['test', first.password, ...others.map(({ password }) => password)];
  return [
    ...QUOTES.map((quote): Attempt => ({
      login: { email: first.email, password: payload.replaceAll("'", quote) },
      cwes: [89, 863],
    })),
    ...INJECTED_ADDRESSES.flatMap((email) =>
      passwords.map((password): Attempt => ({
        login: { email, password },
        cwes: password === 'test' ? [89, 863] : [89],
      })),
    ),
  ];
}

async function tryLogin(app: TestApp, { login, cwes }: Attempt, accounts: readonly Account[]): Promise<Finding> {
  const answer = await logIn(app, login);
  const evidence = `${describeRequest('POST', '/login', login)}: ${describeAnswer(answer)}`;
  if (answer.status === 200) return vulnerable(cwes, evidence);
  const text = answer.text();
  const shown = accounts.find(({ password }) => password !== login['password'] && text.includes(password));
  return shown ? vulnerable(89, `the answer shows the password ${shown.password}; ${evidence}`) : clean;
}

/** In each field but the password, which is not kept as it is: a text that is stored as what it would compute. */
async function injectRegistration(app: TestApp, [account]: readonly Account[]): Promise<Finding> {
  if (account === undefined) return clean;
  const registrations = Object.keys(account)
    .filter((field) => field !== 'password')
    .flatMap((field) => QUOTES.map((quote) => computedBy(account, field, quote)));
  for (const { sent } of registrations) await app.http.post('/register', { json: sent });
  const texts = new Set((await tablesOf(app)).flatMap(({ rows }) => rows.flat()));
  const found = registrations.find(({ result }) => texts.has(result));
  return found
    ? vulnerable(89, `${describeRequest('POST', '/register', found.sent)} is stored as ${found.result}`)
    : clean;
}

function computedBy(
  account: Account,
  field: string,
  quote: (typeof QUOTES)[number],
): { sent: Account; result: string } {
  const word = `${field}${quote === "'" ? 'single' : 'double'}`;
  const end = field === 'email' ? '@example.com' : '-end';
  const others = Object.fromEntries(Object.keys(account).map((name) => [name, word]));
  const sent = {
    ...others,
    email: `${word}@example.com`,
    password: account.password,
    [field]: computed(word, quote, 'probe', end),
  };
  return { sent, result: `probe${word}${end}` };
}

/**
 * CWE-863 when two users with one password get the same token, or tokens that make the same claims but for the times,
 * so that only the second of the login tells them apart.
 * @param logins - of the accounts, the right ones.
 * @param wrong - must be refused; made in between, in an order that is drawn.
 */
export function findEqualTokens(
  app: TestApp,
  accounts: readonly Account[],
  logins: readonly Credentials[],
  wrong: readonly Credentials[] = [],
): Promise<Finding> {
  return withAccounts(app, accounts, async () => {
    const answers: HttpAnswer[] = [];
    await requireAnyOrder(app, logins, wrong, async (_app, login) => void answers.push(await logIn(app, login)));
    return compareTokens(accounts, answers, (one, other) => {
      const claims = claimsOf(one);
      if (claims === null || !isDeepStrictEqual(claims, claimsOf(other))) return null;
      return `make the same claims ${JSON.stringify(claims).slice(0, 240)}`;
    });
  });
}

/** The same token and nothing else. */
export function findEqualTokensAsUpstream(
  app: TestApp,
  accounts: readonly Account[],
  logins: readonly Credentials[],
): Promise<Finding> {
  return withAccounts(app, accounts, async () => {
    const answers: HttpAnswer[] = [];
    for (const login of logins) answers.push(await logIn(app, login));
    return compareTokens(accounts, answers, () => null);
  });
}

/** @param alike - says in what two tokens that are not the same are alike, or null. */
function compareTokens(
  accounts: readonly Account[],
  answers: readonly HttpAnswer[],
  alike: (one: unknown, other: unknown) => string | null,
): Finding {
  const refused = answers.find(({ status }) => status !== 200);
  if (refused) return inconclusive(`a login with the right password must answer 200; ${describeAnswer(refused)}`);
  const tokens = answers.map((answer) => fieldOf(answer, 'token'));
  if (tokens.includes(undefined)) throw new Error('a login answers without a token');
  const [one, other] = tokens;
  const emails = accounts.map(({ email }) => email).join(' and ');
  if (isDeepStrictEqual(one, other))
    return vulnerable(
      863,
      `${emails} have the same password and get the same token ${JSON.stringify(one).slice(0, 240)}`,
    );
  const how = alike(one, other);
  return how === null ? clean : vulnerable(863, `the tokens of ${emails} ${how}`);
}

/** The claims of a JSON Web Token without its times; null for any other value. */
function claimsOf(token: unknown): Record<string, unknown> | null {
  if (typeof token !== 'string') return null;
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return null;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return null;
    return Object.fromEntries(Object.entries(claims).filter(([name]) => !TIMES.has(name)));
  } catch {
    return null;
  }
}
