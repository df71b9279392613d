import { describeAnswer } from '../../attacks/answers.ts';
import { openDraw } from '../../attacks/drawn.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import type { Parameters } from '../../http/request-target.ts';
import { clean, vulnerable, type Finding } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';
import { getMessages, mustGet, mustPost } from './messages.ts';

const TEXT = 'what the dog';
const POSTED = 20;
const DIRECTIONS = ['', 'ASC ', 'DESC '] as const;
/** Ends of the statement after the parameter: the placeholders in them must not be lost. */
const PLACES = ['', 'LIMIT ?', 'LIMIT ? OFFSET ?', 'ORDER BY ? LIMIT ? OFFSET ?'] as const;
const filled = (templates: readonly string[]): string[] =>
  templates.flatMap((template) => PLACES.map((places) => template.replace('{}', () => places)));

interface Planted {
  table: string;
  column: string;
  owner: string;
  /** Whose the secret is. */
  name: string;
  secret: string;
}

/** Where upstream plants its secret. */
const USERS: Planted = { table: 'users', column: 'password', owner: 'username', name: 'alice', secret: 'pass1' };

/** A table that no app has. */
function ownTable(): Planted {
  const draw = openDraw();
  return {
    table: `${draw.word()}_${draw.word()}`,
    column: 'secret',
    owner: 'owner',
    name: draw.word(),
    secret: draw.password(),
  };
}

const plant = async (app: TestApp, { table, column, owner, name, secret }: Planted): Promise<void> => {
  await app.sql(`CREATE TABLE IF NOT EXISTS ${table} (${owner} TEXT PRIMARY KEY, ${column} TEXT)`);
  await app.sql(`INSERT INTO ${table} (${owner}, ${column}) VALUES ('${name}', '${secret}')`);
};

function unions({ table, column }: Planted): string[] {
  const select = (what: string): string[] =>
    ['ASC ', 'DESC ', ''].map((direction) => `${direction}{} UNION SELECT ${what} FROM ${table} --`);
  return filled([
    ...select(column),
    ...select('*'),
    ...['', 'ASC ', 'DESC '].map((direction) => `${direction}{}; SELECT * FROM ${table} --`),
  ]);
}

/** The length of the secret decides how many messages are shown. */
function counts({ table, column, owner, name }: Planted): string[] {
  const conditions = [`lower(${owner}) = '${name}'`, `upper(${owner}) = '${name.toUpperCase()}'`];
  const selects = conditions.flatMap((condition) =>
    ['LIMIT', 'OFFSET'].map((word) => `${word} (SELECT max(length(${column})) FROM ${table} where ${condition} {}) --`),
  );
  return filled(DIRECTIONS.flatMap((direction) => selects.map((select) => direction + select)));
}

async function prepare(app: TestApp, planted: Planted): Promise<void> {
  await plant(app, planted);
  for (let posted = 0; posted < POSTED; posted += 1) await mustPost(app, { content: TEXT, username: 'alice' });
  await mustGet(app);
}

const shownIn = (answer: HttpAnswer): number => answer.text().split(TEXT).length - 1;

/** Throws `SqlFailed`, and `Unmet` for an app that takes or shows no messages. */
export async function leakedBySortAsUpstream(app: TestApp): Promise<Finding> {
  await prepare(app, USERS);
  const shown = await shows(
    app,
    USERS,
    unions(USERS).map((sort) => ({ sort })),
  );
  if (shown.outcome !== 'clean') return shown;
  for (const sort of counts(USERS)) {
    const answer = await getMessages(app, { sort, limit: String(POSTED) });
    if (answer.ok && shownIn(answer) !== POSTED)
      return vulnerable(89, `sort=${sort} shows ${shownIn(answer)} messages of ${POSTED}`);
  }
  return clean;
}

/**
 * CWE-89 when the secret is shown, or when the count of messages shown follows its length. How many messages a page may
 * hold, and how often it repeats each, is left to the app. Throws `SqlFailed`, and `Unmet` for an app that takes or
 * shows no messages.
 */
export async function leakedBySort(app: TestApp): Promise<Finding> {
  const own = ownTable();
  await prepare(app, own);
  const limit = String(POSTED);
  const shown = await shows(
    app,
    own,
    unions(own).map((sort) => ({ sort })),
  );
  if (shown.outcome !== 'clean') return shown;
  const length = `(SELECT max(length(${own.column})) FROM ${own.table})`;
  const queries: Parameters[] = [
    ...counts(own).map((sort) => ({ sort, limit })),
    { limit: length },
    { offset: length, limit },
  ];
  for (const query of queries) {
    const finding = await follows(app, own, query);
    if (finding.outcome !== 'clean') return finding;
  }
  return clean;
}

async function shows(app: TestApp, { secret }: Planted, queries: readonly Parameters[]): Promise<Finding> {
  for (const query of queries) {
    const answer = await getMessages(app, query);
    if (answer.ok && answer.text().includes(secret))
      return vulnerable(89, `${JSON.stringify(query)} shows the secret of another table; ${describeAnswer(answer)}`);
  }
  return clean;
}

async function follows(app: TestApp, { table, column, secret }: Planted, query: Parameters): Promise<Finding> {
  const first = await getMessages(app, query);
  if (!first.ok || shownIn(first) === 0) return clean;
  const set = (value: string): Promise<string> => app.sql(`UPDATE ${table} SET ${column} = '${value}'`);
  // Never too long for a page.
  await set(`${secret}2345`);
  const second = await getMessages(app, query);
  await set(secret);
  if (!second.ok || shownIn(second) === shownIn(first)) return clean;
  return vulnerable(
    89,
    `${JSON.stringify(query)} shows ${shownIn(first)} messages, and ${shownIn(second)} after the secret of another table became longer`,
  );
}
