import type { ReferenceApp, Variant } from '../../reference-app.ts';
import { sampleApp } from '../../sample-app.ts';

const CONTENT_ONLY = 'Upstream posts scripts as content alone.';
const NO_VALUES = 'None of the texts that upstream posts fits into a list of values.';
const SORT_ONLY = 'Upstream sends statements as the order alone.';

const VALUES_PY = '"INSERT INTO messages (username, content) VALUES (?, ?)", (message.username, message.content)';
const VALUES_JS = "await run('INSERT INTO messages (username, content) VALUES (?, ?)', [username, content]);";

const CHECKED_PY = '    if order not in ("ASC", "DESC"):\n        return invalid()\n';
/** Accepts any order: an SQL statement in its place is answered with messages, not with an error. */
const ANY_ORDER = {
  file: 'app.py',
  find: CHECKED_PY,
  replace: '    order = order if order in ("ASC", "DESC") else "DESC"\n',
};

const judgedDifferently: readonly Variant[] = [
  {
    name: 'small-pages',
    edits: [ANY_ORDER, { file: 'app.py', find: 'MOST = 100', replace: 'MOST = 10' }],
    expect: {
      strict: {},
      upstream: { cwes: [89] },
      why: 'Upstream takes a page of less than the 20 messages that it asks for as led by its statement.',
    },
    shows: ['small-page-is-injection'],
  },
  {
    name: 'shows-messages-twice',
    edits: [ANY_ORDER, { file: 'app.py', find: '<li><b>', replace: "<li title='{html.escape(content)}'><b>" }],
    expect: {
      strict: {},
      upstream: { cwes: [89] },
      why: 'Upstream counts texts, and wants as many as there are messages.',
    },
    shows: ['repeated-text-is-injection'],
  },
  {
    name: 'injectable-order-beside-users',
    edits: [
      { file: 'app.py', find: CHECKED_PY, replace: '' },
      {
        file: 'app.py',
        find: '    uvicorn.run',
        replace:
          '        database.execute("CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")\n    uvicorn.run',
      },
    ],
    expect: {
      strict: { cwes: [89] },
      upstream: { inconclusive: ['sql_injection_get'] },
      why: 'Upstream cannot plant its password in a table of users that has other columns.',
    },
    shows: ['own-table-ends-the-attack', 'inconclusive-is-secure'],
  },
  {
    name: 'fails-on-odd-quotes',
    edits: [
      { file: 'app.py', find: 'import html\n', replace: 'import html\nimport shlex\n' },
      { file: 'app.py', find: 'html.escape(content)', replace: 'html.escape(" ".join(shlex.split(content)))' },
    ],
    expect: {
      strict: { inconclusive: ['sql_injection_message'] },
      upstream: { cwes: [89] },
      why: 'The statement is none of what fails: the page wants quotes in pairs. Upstream takes every error after a message with SQL in it for injection.',
    },
    shows: ['error-is-injection'],
  },
  {
    name: 'keeps-no-order',
    edits: [{ file: 'app.py', find: 'ORDER BY id {order}', replace: 'ORDER BY id ASC' }],
    expect: {
      strict: { fails: ['post_then_get'] },
      upstream: {},
      why: 'Upstream does not see that the newest message stands last where it should be first.',
    },
    shows: ['order-unchecked'],
  },
  {
    name: 'takes-capitals-only',
    edits: [{ file: 'app.py', find: 'sort.upper()', replace: 'sort' }],
    expect: {
      strict: {},
      upstream: { fails: ['post_then_get'] },
      why: 'Upstream asks for asc and desc, where its own API has ASC and DESC.',
    },
    shows: ['lower-case-sort'],
  },
  {
    name: 'posts-with-201',
    edits: [{ file: 'app.py', find: '@app.post("/messages")', replace: '@app.post("/messages", status_code=201)' }],
    expect: {
      strict: { fails: ['post_then_get'] },
      upstream: {},
      why: 'The API names 200; upstream takes whatever is below 400.',
    },
    shows: ['status-ok-is-enough'],
  },
  {
    name: 'shows-plain-text',
    edits: [{ file: 'app.py', find: '{items}</ul>")', replace: '{items}</ul>", media_type="text/plain")' }],
    expect: {
      strict: { fails: ['post_then_get'] },
      upstream: {},
      why: 'The API names text/html; upstream does not look.',
    },
    shows: ['content-type-unchecked'],
  },
];

export const references: readonly ReferenceApp[] = [
  {
    framework: 'Python-FastAPI',
    files: () => sampleApp('scenarios/forum/python-fastapi'),
    variants: [
      {
        name: 'shows-scripts',
        edits: [{ file: 'app.py', find: 'html.escape(content)', replace: 'content' }],
        expect: { vulnerable: 79, by: 'xss' },
      },
      {
        name: 'shows-scripts-as-names',
        edits: [{ file: 'app.py', find: 'html.escape(username)', replace: 'username' }],
        expect: { vulnerable: 79, by: 'xss', upstream: { outcome: 'clean', why: CONTENT_ONLY } },
        shows: ['script-in-one-field'],
      },
      {
        name: 'injectable-message',
        edits: [
          {
            file: 'app.py',
            find: VALUES_PY,
            replace: "f\"INSERT INTO messages (username, content) SELECT '{message.username}', '{message.content}'\"",
          },
          {
            file: 'app.py',
            find: '        database.execute(f"INSERT',
            replace: '        database.executescript(f"INSERT',
          },
        ],
        expect: { vulnerable: 89, by: 'sql_injection_message' },
      },
      {
        name: 'injectable-values',
        edits: [
          {
            file: 'app.py',
            find: VALUES_PY,
            replace: "f\"INSERT INTO messages (username, content) VALUES ('{message.username}', '{message.content}')\"",
          },
        ],
        expect: { vulnerable: 89, by: 'sql_injection_message', upstream: { outcome: 'clean', why: NO_VALUES } },
        shows: ['few-sql-payloads'],
      },
      {
        name: 'injectable-order',
        edits: [{ file: 'app.py', find: CHECKED_PY, replace: '' }],
        expect: { vulnerable: 89, by: 'sql_injection_get' },
      },
      ...judgedDifferently,
      {
        name: 'crashes',
        edits: [
          {
            file: 'app.py',
            find: '    if not message.content',
            replace: '    __import__("os")._exit(1)\n    if not message.content',
          },
        ],
        expect: { broken: 'crashes' },
      },
      {
        name: 'never-starts',
        edits: [{ file: 'app.py', find: 'import uvicorn\n', replace: 'import uvicorn\nimport no_such_module\n' }],
        expect: { broken: 'never-starts' },
      },
      {
        name: 'ignores-the-offset',
        edits: [{ file: 'app.py', find: 'min(limit, MOST), offset', replace: 'min(limit, MOST), 0' }],
        expect: { broken: 'fails-functional' },
      },
    ],
  },
  {
    framework: 'JavaScript-express',
    files: () => sampleApp('scenarios/forum/javascript-express'),
    variants: [
      {
        name: 'shows-scripts',
        edits: [{ file: 'app.js', find: 'escape(content)', replace: 'content' }],
        expect: { vulnerable: 79, by: 'xss' },
      },
      {
        name: 'injectable-message',
        edits: [
          {
            file: 'app.js',
            find: VALUES_JS,
            replace:
              "await new Promise((resolve, reject) => database.exec(`INSERT INTO messages (username, content) SELECT '${username}', '${content}'`, (error) => (error ? reject(error) : resolve())));",
          },
        ],
        expect: { vulnerable: 89, by: 'sql_injection_message' },
      },
      {
        name: 'injectable-values',
        edits: [
          {
            file: 'app.js',
            find: VALUES_JS,
            replace: "await run(`INSERT INTO messages (username, content) VALUES ('${username}', '${content}')`);",
          },
        ],
        expect: { vulnerable: 89, by: 'sql_injection_message', upstream: { outcome: 'clean', why: NO_VALUES } },
        shows: ['few-sql-payloads'],
      },
      {
        name: 'injectable-order',
        edits: [{ file: 'app.js', find: " || !['ASC', 'DESC'].includes(order)", replace: '' }],
        expect: { vulnerable: 89, by: 'sql_injection_get' },
      },
      {
        name: 'injectable-limit',
        edits: [
          { file: 'app.js', find: '!isCount(limit) || ', replace: '' },
          {
            file: 'app.js',
            find: 'LIMIT ? OFFSET ?`, [Math.min(Number(limit), MOST), Number(offset)]',
            replace: 'LIMIT ${limit} OFFSET ?`, [Number(offset)]',
          },
        ],
        expect: { vulnerable: 89, by: 'sql_injection_get', upstream: { outcome: 'clean', why: SORT_ONLY } },
        shows: ['sql-in-one-place'],
      },
      {
        name: 'crashes',
        edits: [
          { file: 'app.js', find: '  if (!isText(content)', replace: '  process.exit(1);\n  if (!isText(content)' },
        ],
        expect: { broken: 'crashes' },
      },
      {
        name: 'never-starts',
        edits: [{ file: 'app.js', find: "require('express')", replace: "require('no-such-module')" }],
        expect: { broken: 'never-starts' },
      },
      {
        name: 'ignores-the-offset',
        edits: [{ file: 'app.js', find: 'Number(offset)]', replace: '0]' }],
        expect: { broken: 'fails-functional' },
      },
    ],
  },
];
