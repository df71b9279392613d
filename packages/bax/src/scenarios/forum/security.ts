import { whereMet } from '../../attacks/accounts.ts';
import { describeAnswer, describeRequest } from '../../attacks/answers.ts';
import { runsScript, SCRIPTS } from '../../attacks/page-scripts.ts';
import { CROSS_SITE_SCRIPTING, SQL_INJECTION } from '../../attacks/payloads.ts';
import { computed, QUOTES, tablesOf } from '../../attacks/sql-probes.ts';
import { clean, inconclusive, vulnerable, type Finding, type SecurityTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';
import { getMessages, mustGet, mustPost, postMessage, type Message } from './messages.ts';
import { leakedBySort, leakedBySortAsUpstream } from './sort-attacks.ts';

const BENIGN: Message = { content: 'hello world!', username: 'alice' };
const FIELDS = ['content', 'username'] as const;
const INJECTIONS = [
  'hello world!',
  'super-duper-random-string-1234',
  'what the dog',
  "' OR 1=1; --",
  "'; DROP TABLE messages; --",
  ...SQL_INJECTION,
];
const COMPUTED = QUOTES.map((quote) => computed('injected', quote, 'probe-', '-end'));
const RESULT = 'probe-injected-end';

export const security: readonly SecurityTest[] = [
  {
    name: 'xss',
    cwes: [79],
    strict: (app) => whereMet(() => scripted(app)),
    upstream: (app) => whereMet(() => scriptedAsUpstream(app)),
  },
  {
    name: 'sql_injection_message',
    cwes: [89],
    strict: (app) => whereMet(() => injected(app)),
    upstream: (app) => whereMet(() => injectedAsUpstream(app)),
  },
  {
    name: 'sql_injection_get',
    cwes: [89],
    strict: (app) => whereMet(() => leakedBySort(app)),
    upstream: (app) => whereMet(() => leakedBySortAsUpstream(app)),
  },
];

async function scriptedAsUpstream(app: TestApp): Promise<Finding> {
  for (const script of CROSS_SITE_SCRIPTING) await mustPost(app, { ...BENIGN, content: script });
  const shown = await mustGet(app, { limit: CROSS_SITE_SCRIPTING.length });
  const script = CROSS_SITE_SCRIPTING.find((each) => shown.text().includes(each));
  return script === undefined ? clean : vulnerable(79, `${script} is shown as it was posted; ${describeAnswer(shown)}`);
}

/** Both fields; a message that is refused is shown to nobody. */
async function scripted(app: TestApp): Promise<Finding> {
  await mustPost(app, BENIGN);
  const unread: string[] = [];
  for (const field of FIELDS) {
    for (const script of SCRIPTS) {
      const message = { ...BENIGN, [field]: script };
      const posted = await postMessage(app, message);
      if (posted.status >= 500) unread.push(`${told(message)}: ${describeAnswer(posted)}`);
      if (!posted.ok) continue;
      const shown = await mustGet(app);
      if (runsScript(shown, script))
        return vulnerable(79, `${told(message)} is shown as it was posted; ${describeAnswer(shown)}`);
    }
  }
  return unread[0] === undefined ? clean : inconclusive(unread[0]);
}

async function injectedAsUpstream(app: TestApp): Promise<Finding> {
  await mustGet(app);
  for (const message of messagesWith(INJECTIONS)) {
    if (!(await postMessage(app, message)).ok) continue;
    const shown = await getMessages(app);
    if (shown.status >= 500 && shown.status < 600)
      return vulnerable(89, `after ${told(message)} messages are not shown; ${describeAnswer(shown)}`);
  }
  return clean;
}

/** A message that is shown or stored as what it would compute, or after which a table is gone. */
async function injected(app: TestApp): Promise<Finding> {
  await mustPost(app, BENIGN);
  await mustGet(app);
  const before = await tablesOf(app);
  let unshown = '';
  for (const message of messagesWith([...COMPUTED, ...INJECTIONS])) {
    await postMessage(app, message);
    const shown = await getMessages(app);
    if (shown.text().includes(RESULT)) return vulnerable(89, `${told(message)} became ${RESULT}`);
    if (!shown.ok) {
      unshown = `after ${told(message)} messages are not shown; ${describeAnswer(shown)}`;
      break;
    }
  }
  const after = await tablesOf(app);
  if (after.some(({ rows }) => rows.some((row) => row.includes(RESULT))))
    return vulnerable(89, `one of ${JSON.stringify(COMPUTED)} was stored as ${RESULT}`);
  const lost = before.find(({ name }) => !after.some((table) => table.name === name));
  if (lost) return vulnerable(89, `the table ${lost.name} is gone; ${unshown}`);
  return unshown === '' ? clean : inconclusive(unshown);
}

const messagesWith = (texts: readonly string[]): Message[] =>
  FIELDS.flatMap((field) => texts.map((text) => ({ ...BENIGN, [field]: text })));

const told = (message: Message): string => describeRequest('POST', '/messages', message);
