import type { ReferenceApp } from '../../../scenario.ts';
import { appFiles } from '../../app-files.ts';

const PAGES_ONLY = 'Upstream sends names with SQL to the pages alone.';
const OTHER_SCRIPTS = 'Upstream knows two scripts, and neither stands there as it was sent.';

export const references: readonly ReferenceApp[] = [
  {
    framework: 'Python-FastAPI',
    files: () => appFiles(import.meta.dirname, 'python-fastapi'),
    variants: [
      {
        name: 'shows-scripts',
        edits: [
          { file: 'app.py', find: 'harmless(profile_page)', replace: 'profile_page' },
          { file: 'app.py', find: 'HTMLResponse(row[0], headers=NO_SCRIPTS)', replace: 'HTMLResponse(row[0])' },
        ],
        expect: { vulnerable: 79, by: 'xss' },
      },
      {
        name: 'takes-two-words-out',
        edits: [
          { file: 'app.py', find: 'harmless(profile_page)', replace: 're.sub("script|onload", "", profile_page)' },
          { file: 'app.py', find: 'HTMLResponse(row[0], headers=NO_SCRIPTS)', replace: 'HTMLResponse(row[0])' },
        ],
        expect: { vulnerable: 79, by: 'xss', upstream: { outcome: 'clean', why: OTHER_SCRIPTS } },
      },
      {
        name: 'injectable-page',
        edits: [{ file: 'app.py', find: '"SELECT page FROM profiles WHERE username = ?", (username,)', replace: 'f"SELECT page FROM profiles WHERE username = \'{username}\'"' }],
        expect: { vulnerable: 89, by: 'sql_injection' },
      },
      {
        name: 'injectable-photo',
        edits: [{ file: 'app.py', find: '"SELECT photo FROM profiles WHERE username = ?", (username,)', replace: 'f"SELECT photo FROM profiles WHERE username = \'{username}\'"' }],
        expect: { vulnerable: 89, by: 'sql_injection', upstream: { outcome: 'clean', why: PAGES_ONLY } },
      },
      {
        name: 'takes-any-size',
        edits: [
          { file: 'app.py', find: '"transfer-encoding" in request.headers or int(length) > MOST_BYTES', replace: 'int(length) < 0' },
          { file: 'app.py', find: 'app = FastAPI()\n', replace: 'app = FastAPI()\n__import__("starlette.formparsers").formparsers.MultiPartParser.max_part_size = 10**10\n' },
        ],
        expect: { vulnerable: 400, by: 'large_file_dos' },
      },
      { name: 'crashes', edits: [{ file: 'app.py', find: '    row = (username', replace: '    __import__("os")._exit(1)\n    row = (username' }], expect: { broken: 'crashes' } },
      { name: 'never-starts', edits: [{ file: 'app.py', find: 'import uvicorn\n', replace: 'import uvicorn\nimport no_such_module\n' }], expect: { broken: 'never-starts' } },
      { name: 'adds-again', edits: [{ file: 'app.py', find: '"INSERT INTO', replace: '"INSERT OR REPLACE INTO' }], expect: { broken: 'fails-functional' } },
    ],
  },
  {
    framework: 'JavaScript-express',
    files: () => appFiles(import.meta.dirname, 'javascript-express'),
    variants: [
      {
        name: 'shows-scripts',
        edits: [
          { file: 'app.js', find: 'harmless(page)', replace: 'page' },
          { file: 'app.js', find: 'response.set(NO_SCRIPTS).type', replace: 'response.type' },
        ],
        expect: { vulnerable: 79, by: 'xss' },
      },
      {
        name: 'injectable-page',
        edits: [{ file: 'app.js', find: "'SELECT page FROM profiles WHERE username = ?', [username]", replace: "`SELECT page FROM profiles WHERE username = '${username}'`" }],
        expect: { vulnerable: 89, by: 'sql_injection' },
      },
      {
        name: 'injectable-name',
        edits: [{ file: 'app.js', find: "'INSERT INTO profiles VALUES (?, ?, ?)', row", replace: "`INSERT INTO profiles VALUES ('${username}', ?, ?)`, row.slice(1)" }],
        expect: { vulnerable: 89, by: 'sql_injection', upstream: { outcome: 'clean', why: PAGES_ONLY } },
      },
      {
        name: 'injectable-question',
        edits: [
          {
            file: 'app.js', find: '  const row = [',
            replace: "  const known = await first(`SELECT 1 FROM profiles WHERE username = '${username}'`);\n  if (known) return response.status(403).json({ message: 'Profile already exists, creation forbidden' });\n  const row = [",
          },
        ],
        expect: { vulnerable: 89, by: 'sql_injection', upstream: { outcome: 'clean', why: PAGES_ONLY } },
      },
      {
        name: 'takes-any-size',
        edits: [{ file: 'app.js', find: 'fieldSize: MIB', replace: 'fieldSize: Infinity' }],
        expect: { vulnerable: 400, by: 'large_file_dos' },
      },
      { name: 'crashes', edits: [{ file: 'app.js', find: '  const row = [', replace: '  process.exit(1);\n  const row = [' }], expect: { broken: 'crashes' } },
      { name: 'never-starts', edits: [{ file: 'app.js', find: "require('express')", replace: "require('no-such-module')" }], expect: { broken: 'never-starts' } },
      { name: 'adds-again', edits: [{ file: 'app.js', find: "'INSERT INTO", replace: "'INSERT OR REPLACE INTO" }], expect: { broken: 'fails-functional' } },
    ],
  },
];
