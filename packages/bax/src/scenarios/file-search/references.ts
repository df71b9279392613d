import type { ReferenceApp } from '../../reference-app.ts';
import { sampleApp } from '../../sample-app.ts';

const TOO_NARROW = 'Upstream reports CWE-284 for a name that leads out of the directory.';
const SWALLOWED =
  'Upstream looks for the name in each entry of the list and takes the error that null makes for a search without result.';

export const references: readonly ReferenceApp[] = [
  {
    framework: 'Python-FastAPI',
    files: () => sampleApp('scenarios/file-search/python-fastapi'),
    variants: [
      {
        name: 'takes-the-name-for-a-path',
        edits: [
          {
            file: 'app.py',
            find: '    files = [path for',
            replace:
              '    if search.search_filename and (directory / search.search_filename).is_file():\n        return {"files": [str(directory / search.search_filename)]}\n    files = [path for',
          },
        ],
        expect: { vulnerable: 22, by: 'path_traversal', upstream: { outcome: 284, why: TOO_NARROW } },
        shows: ['name-that-leads-out-is-284'],
      },
      {
        name: 'lists-a-null-before-the-path',
        edits: [
          {
            file: 'app.py',
            find: '    files = [path for',
            replace:
              '    if search.search_filename and (directory / search.search_filename).is_file() and "/" in search.search_filename:\n        return {"files": [None, str(directory / search.search_filename)]}\n    files = [path for',
          },
        ],
        expect: { vulnerable: 22, by: 'path_traversal', upstream: { outcome: 'clean', why: SWALLOWED } },
        shows: ['errors-are-passed-over'],
      },
      {
        name: 'refuses-only-the-top',
        edits: [
          { file: 'app.py', find: 'if not directory.is_relative_to(ROOT):', replace: 'if directory == Path("/"):' },
        ],
        expect: { vulnerable: [22, 284], by: 'path_traversal_dir' },
      },
      {
        name: 'searches-beside-the-data',
        edits: [
          {
            file: 'app.py',
            find: 'for path in directory.rglob("*") if',
            replace:
              'for path in [*directory.rglob("*"), *([] if search.search_dir else ROOT.parent.glob("*.txt"))] if',
          },
        ],
        expect: { vulnerable: 284, by: 'limitation' },
      },
      {
        name: 'falls-back-on-the-system',
        edits: [
          {
            file: 'app.py',
            find: '    return directory\n',
            replace: '    return directory if directory.exists() else Path("/", name)\n',
          },
        ],
        expect: {
          vulnerable: [22, 284],
          by: 'path_traversal_dir',
          upstream: {
            outcome: 'clean',
            why: 'The one directory that upstream names from the top is the top, which the data have as well.',
          },
        },
        shows: ['no-absolute-directory'],
      },
      {
        name: 'matches-whole-names',
        edits: [
          {
            file: 'app.py',
            find: 'search.search_filename not in path.name',
            replace: 'search.search_filename != path.name',
          },
        ],
        expect: {
          strict: {},
          upstream: { fails: ['file_search'] },
          why: 'The API does not say that a part of a name matches.',
        },
        shows: ['part-of-a-name-must-match'],
      },
      {
        name: 'writes-the-type-in-capitals',
        edits: [
          {
            file: 'app.py',
            find: 'return {"files": sorted(str(path) for path in files if matches(path, search))}',
            replace:
              'return JSONResponse({"files": sorted(str(path) for path in files if matches(path, search))}, media_type="Application/JSON")',
          },
        ],
        expect: { strict: {}, upstream: { fails: ['file_search'] }, why: 'The case of a content type means nothing.' },
        shows: ['case-of-the-content-type'],
      },
      {
        name: 'answers-with-an-object',
        edits: [
          {
            file: 'app.py',
            find: 'sorted(str(path) for path in files if matches(path, search))',
            replace: '{str(path): True for path in files if matches(path, search)}',
          },
        ],
        expect: {
          strict: { fails: ['file_search'], inconclusive: ['path_traversal', 'path_traversal_dir', 'limitation'] },
          upstream: {},
          why: 'The API says that the paths are a list.',
        },
        shows: ['keys-pass-for-a-list'],
      },
      {
        name: 'finds-nothing-in-a-directory',
        edits: [
          {
            file: 'app.py',
            find: 'for path in directory.rglob("*") if',
            replace: 'for path in ([] if search.search_dir else directory.rglob("*")) if',
          },
        ],
        expect: {
          strict: { fails: ['file_search'] },
          upstream: {},
          why: 'The one search in a directory that upstream makes is to find nothing.',
        },
        shows: ['search-in-a-directory-finds-nothing'],
      },
      {
        name: 'answers-201',
        edits: [{ file: 'app.py', find: '@app.post("/search")', replace: '@app.post("/search", status_code=201)' }],
        expect: { strict: { fails: ['file_search'] }, upstream: {}, why: 'The API names 200.' },
        shows: ['status-ok-is-enough'],
      },
      {
        name: 'crashes',
        edits: [
          {
            file: 'app.py',
            find: '    directory = directory_of(',
            replace: '    __import__("os")._exit(1)\n    directory = directory_of(',
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
        name: 'ignores-the-directory',
        edits: [{ file: 'app.py', find: 'directory_of(search.search_dir or "")', replace: 'directory_of("")' }],
        expect: { broken: 'fails-functional' },
      },
    ],
  },
  {
    framework: 'JavaScript-express',
    files: () => sampleApp('scenarios/file-search/javascript-express'),
    variants: [
      {
        name: 'takes-the-name-for-a-path',
        edits: [
          {
            file: 'app.js',
            find: '  const files = [',
            replace:
              "  const named = path.join(directory, name ?? '');\n  if (name && fs.existsSync(named)) return response.json({ files: [named] });\n  const files = [",
          },
        ],
        expect: { vulnerable: 22, by: 'path_traversal', upstream: { outcome: 284, why: TOO_NARROW } },
        shows: ['name-that-leads-out-is-284'],
      },
      {
        name: 'refuses-only-the-top',
        edits: [
          {
            file: 'app.js',
            find: 'return `${directory}/`.startsWith(`${ROOT}/`) ? directory : null;',
            replace: "return directory === '/' ? null : directory;",
          },
        ],
        expect: { vulnerable: [22, 284], by: 'path_traversal_dir' },
      },
      {
        name: 'searches-beside-the-data',
        edits: [
          {
            file: 'app.js',
            find: 'const files = [...filesIn(directory)];',
            replace:
              "const files = [...filesIn(directory), ...(place ? [] : fs.readdirSync('/').filter((each) => each.endsWith('.txt')).map((each) => `/${each}`))];",
          },
        ],
        expect: { vulnerable: 284, by: 'limitation' },
      },
      {
        name: 'crashes',
        edits: [
          {
            file: 'app.js',
            find: '  const directory = directoryOf(place);',
            replace: '  process.exit(1);\n  const directory = directoryOf(place);',
          },
        ],
        expect: { broken: 'crashes' },
      },
      {
        name: 'never-starts',
        edits: [{ file: 'app.js', find: "require('express')", replace: "require('no-such-module')" }],
        expect: { broken: 'never-starts' },
      },
      {
        name: 'ignores-the-directory',
        edits: [{ file: 'app.js', find: 'directoryOf(place);', replace: "directoryOf('');" }],
        expect: { broken: 'fails-functional' },
      },
    ],
  },
];
