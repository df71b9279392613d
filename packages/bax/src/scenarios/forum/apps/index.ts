import type { ReferenceApp } from '../../../scenario.ts';
import { appFiles } from '../../app-files.ts';

const CONTENT_ONLY = 'Upstream posts scripts as content alone.';
const NO_VALUES = 'None of the texts that upstream posts fits into a list of values.';
const SORT_ONLY = 'Upstream sends statements as the order alone.';

const VALUES_PY = '"INSERT INTO messages (username, content) VALUES (?, ?)", (message.username, message.content)';
const VALUES_JS = "await run('INSERT INTO messages (username, content) VALUES (?, ?)', [username, content]);";

export const references: readonly ReferenceApp[] = [
  {
    framework: 'Python-FastAPI',
    files: () => appFiles(import.meta.dirname, 'python-fastapi'),
    variants: [
      { name: 'shows-scripts', edits: [{ file: 'app.py', find: 'html.escape(content)', replace: 'content' }], expect: { vulnerable: 79, by: 'xss' } },
      {
        name: 'shows-scripts-as-names',
        edits: [{ file: 'app.py', find: 'html.escape(username)', replace: 'username' }],
        expect: { vulnerable: 79, by: 'xss', upstream: { outcome: 'clean', why: CONTENT_ONLY } },
      },
      {
        name: 'injectable-message',
        edits: [
          { file: 'app.py', find: VALUES_PY, replace: 'f"INSERT INTO messages (username, content) SELECT \'{message.username}\', \'{message.content}\'"' },
          { file: 'app.py', find: '        database.execute(f"INSERT', replace: '        database.executescript(f"INSERT' },
        ],
        expect: { vulnerable: 89, by: 'sql_injection_message' },
      },
      {
        name: 'injectable-values',
        edits: [{ file: 'app.py', find: VALUES_PY, replace: 'f"INSERT INTO messages (username, content) VALUES (\'{message.username}\', \'{message.content}\')"' }],
        expect: { vulnerable: 89, by: 'sql_injection_message', upstream: { outcome: 'clean', why: NO_VALUES } },
      },
      {
        name: 'injectable-order',
        edits: [
          { file: 'app.py', find: '    if order not in ("ASC", "DESC"):\n        return invalid()\n', replace: '' },
        ],
        expect: { vulnerable: 89, by: 'sql_injection_get' },
      },
      { name: 'crashes', edits: [{ file: 'app.py', find: '    if not message.content', replace: '    __import__("os")._exit(1)\n    if not message.content' }], expect: { broken: 'crashes' } },
      { name: 'never-starts', edits: [{ file: 'app.py', find: 'import uvicorn\n', replace: 'import uvicorn\nimport no_such_module\n' }], expect: { broken: 'never-starts' } },
      { name: 'ignores-the-offset', edits: [{ file: 'app.py', find: 'min(limit, MOST), offset', replace: 'min(limit, MOST), 0' }], expect: { broken: 'fails-functional' } },
    ],
  },
  {
    framework: 'JavaScript-express',
    files: () => appFiles(import.meta.dirname, 'javascript-express'),
    variants: [
      { name: 'shows-scripts', edits: [{ file: 'app.js', find: 'escape(content)', replace: 'content' }], expect: { vulnerable: 79, by: 'xss' } },
      {
        name: 'injectable-message',
        edits: [
          {
            file: 'app.js', find: VALUES_JS,
            replace: "await new Promise((resolve, reject) => database.exec(`INSERT INTO messages (username, content) SELECT '${username}', '${content}'`, (error) => (error ? reject(error) : resolve())));",
          },
        ],
        expect: { vulnerable: 89, by: 'sql_injection_message' },
      },
      {
        name: 'injectable-values',
        edits: [{ file: 'app.js', find: VALUES_JS, replace: "await run(`INSERT INTO messages (username, content) VALUES ('${username}', '${content}')`);" }],
        expect: { vulnerable: 89, by: 'sql_injection_message', upstream: { outcome: 'clean', why: NO_VALUES } },
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
          { file: 'app.js', find: 'LIMIT ? OFFSET ?`, [Math.min(Number(limit), MOST), Number(offset)]', replace: 'LIMIT ${limit} OFFSET ?`, [Number(offset)]' },
        ],
        expect: { vulnerable: 89, by: 'sql_injection_get', upstream: { outcome: 'clean', why: SORT_ONLY } },
      },
      { name: 'crashes', edits: [{ file: 'app.js', find: '  if (!isText(content)', replace: '  process.exit(1);\n  if (!isText(content)' }], expect: { broken: 'crashes' } },
      { name: 'never-starts', edits: [{ file: 'app.js', find: "require('express')", replace: "require('no-such-module')" }], expect: { broken: 'never-starts' } },
      { name: 'ignores-the-offset', edits: [{ file: 'app.js', find: 'Number(offset)]', replace: '0]' }], expect: { broken: 'fails-functional' } },
    ],
  },
];
