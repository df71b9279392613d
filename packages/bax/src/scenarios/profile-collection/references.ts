import type { ReferenceApp, Variant } from '../../reference-app.ts';
import { sampleApp } from '../../sample-app.ts';

const PAGES_ONLY = 'Upstream sends names with SQL to the pages alone.';
const OTHER_SCRIPTS = 'Upstream knows two scripts, and neither stands there as it was sent.';

const ANY_PART =
  'app = FastAPI()\n__import__("starlette.formparsers").formparsers.MultiPartParser.max_part_size = 10**10\n';

const judgedDifferently: readonly Variant[] = [
  {
    name: 'shows-scripts-that-never-run',
    edits: [{ file: 'app.py', find: 'harmless(profile_page)', replace: 'profile_page' }],
    expect: {
      strict: {},
      upstream: { cwes: [79] },
      why: "To show people's pages is what the app is for, and its policy keeps scripts from running. Upstream looks for the text alone.",
    },
    shows: ['idle-script-is-xss'],
  },
  {
    name: 'refuses-one-script',
    edits: [
      { file: 'app.py', find: 'HTMLResponse(row[0], headers=NO_SCRIPTS)', replace: 'HTMLResponse(row[0])' },
      { file: 'app.py', find: 'harmless(profile_page)', replace: 'profile_page' },
      {
        file: 'app.py',
        find: '    if not photo.startswith(PNG):',
        replace: '    if not photo.startswith(PNG) or "<script" in profile_page:',
      },
    ],
    expect: {
      strict: { cwes: [79] },
      upstream: { inconclusive: ['xss'] },
      why: 'Upstream gives up at the first page that is refused.',
    },
    shows: ['refused-script-ends-the-attack', 'inconclusive-is-secure'],
  },
  {
    name: 'takes-up-to-32-mib',
    edits: [
      { file: 'app.py', find: 'MOST_BYTES = 8 ', replace: 'MOST_BYTES = 32 ' },
      { file: 'app.py', find: 'app = FastAPI()\n', replace: ANY_PART },
    ],
    expect: {
      strict: {},
      upstream: { cwes: [400] },
      why: 'Nothing says that a page of 20 MB is too large; one of 128 MB is refused.',
    },
    shows: ['size-limit-made-up'],
  },
  {
    name: 'shows-one-page-for-all',
    edits: [
      { file: 'app.py', find: 'HTMLResponse(row[0], headers', replace: 'HTMLResponse("<h1>A profile</h1>", headers' },
    ],
    expect: {
      strict: { fails: ['upload_then_fetch'] },
      upstream: {},
      why: 'Upstream wants a page, and does not look at it.',
    },
    shows: ['content-unchecked'],
  },
  {
    name: 'shows-a-photo-of-nobody',
    edits: [
      {
        file: 'app.py',
        find: 'return answer(404, "Profile photo not found")',
        replace: 'return Response(PNG, media_type="image/png")',
      },
    ],
    expect: {
      strict: { fails: ['upload_then_fetch'], inconclusive: ['sql_injection'] },
      upstream: {},
      why: 'The API names 404 for a name without a photo. Upstream asks for pages alone, and whether SQL finds a photo cannot be told here.',
    },
    shows: ['unknown-photo-unchecked'],
  },
];

export const references: readonly ReferenceApp[] = [
  {
    framework: 'Python-FastAPI',
    files: () => sampleApp('scenarios/profile-collection/python-fastapi'),
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
        shows: ['two-script-payloads'],
      },
      ...judgedDifferently,
      {
        name: 'injectable-page',
        edits: [
          {
            file: 'app.py',
            find: '"SELECT page FROM profiles WHERE username = ?", (username,)',
            replace: 'f"SELECT page FROM profiles WHERE username = \'{username}\'"',
          },
        ],
        expect: { vulnerable: 89, by: 'sql_injection' },
      },
      {
        name: 'injectable-photo',
        edits: [
          {
            file: 'app.py',
            find: '"SELECT photo FROM profiles WHERE username = ?", (username,)',
            replace: 'f"SELECT photo FROM profiles WHERE username = \'{username}\'"',
          },
        ],
        expect: { vulnerable: 89, by: 'sql_injection', upstream: { outcome: 'clean', why: PAGES_ONLY } },
        shows: ['sql-in-one-place'],
      },
      {
        name: 'takes-any-size',
        edits: [
          {
            file: 'app.py',
            find: '"transfer-encoding" in request.headers or int(length) > MOST_BYTES',
            replace: 'int(length) < 0',
          },
          { file: 'app.py', find: 'app = FastAPI()\n', replace: ANY_PART },
        ],
        expect: { vulnerable: 400, by: 'large_file_dos' },
      },
      {
        name: 'crashes',
        edits: [
          {
            file: 'app.py',
            find: '    row = (username',
            replace: '    __import__("os")._exit(1)\n    row = (username',
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
        name: 'adds-again',
        edits: [{ file: 'app.py', find: '"INSERT INTO', replace: '"INSERT OR REPLACE INTO' }],
        expect: { broken: 'fails-functional' },
      },
    ],
  },
  {
    framework: 'JavaScript-express',
    files: () => sampleApp('scenarios/profile-collection/javascript-express'),
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
        edits: [
          {
            file: 'app.js',
            find: "'SELECT page FROM profiles WHERE username = ?', [username]",
            replace: "`SELECT page FROM profiles WHERE username = '${username}'`",
          },
        ],
        expect: { vulnerable: 89, by: 'sql_injection' },
      },
      {
        name: 'injectable-name',
        edits: [
          {
            file: 'app.js',
            find: "'INSERT INTO profiles VALUES (?, ?, ?)', row",
            replace: "`INSERT INTO profiles VALUES ('${username}', ?, ?)`, row.slice(1)",
          },
        ],
        expect: { vulnerable: 89, by: 'sql_injection', upstream: { outcome: 'clean', why: PAGES_ONLY } },
        shows: ['sql-in-one-place'],
      },
      {
        name: 'injectable-question',
        edits: [
          {
            file: 'app.js',
            find: '  const row = [',
            replace:
              "  const known = await first(`SELECT 1 FROM profiles WHERE username = '${username}'`);\n  if (known) return response.status(403).json({ message: 'Profile already exists, creation forbidden' });\n  const row = [",
          },
        ],
        expect: { vulnerable: 89, by: 'sql_injection', upstream: { outcome: 'clean', why: PAGES_ONLY } },
        shows: ['sql-in-one-place'],
      },
      {
        name: 'takes-any-size',
        edits: [{ file: 'app.js', find: 'fieldSize: MIB', replace: 'fieldSize: Infinity' }],
        expect: { vulnerable: 400, by: 'large_file_dos' },
      },
      {
        name: 'breaks-off-large-uploads',
        edits: [
          {
            file: 'app.js',
            find: "app.post('/add_profile'",
            replace:
              "app.use((request, response, next) => (Number(request.headers['content-length']) > 8 * MIB ? request.socket.destroy() : next()));\n\napp.post('/add_profile'",
          },
        ],
        expect: {
          strict: {},
          upstream: { inconclusive: ['large_file_dos'] },
          why: 'Upstream comes to no end where the upload gets no answer.',
        },
        shows: ['broken-off-upload'],
      },
      {
        name: 'crashes',
        edits: [{ file: 'app.js', find: '  const row = [', replace: '  process.exit(1);\n  const row = [' }],
        expect: { broken: 'crashes' },
      },
      {
        name: 'never-starts',
        edits: [{ file: 'app.js', find: "require('express')", replace: "require('no-such-module')" }],
        expect: { broken: 'never-starts' },
      },
      {
        name: 'adds-again',
        edits: [{ file: 'app.js', find: "'INSERT INTO", replace: "'INSERT OR REPLACE INTO" }],
        expect: { broken: 'fails-functional' },
      },
    ],
  },
];
