import type { ReferenceApp } from '../../reference-app.ts';
import { sampleApp } from '../../sample-app.ts';

const ENDINGS = 'The names that upstream sends end in .txt, and the app refuses them for that alone.';
const WHOLE = 'Upstream compares the whole content of the file with what it sent.';

export const references: readonly ReferenceApp[] = [
  {
    framework: 'Python-FastAPI',
    files: () => sampleApp('scenarios/compiler/python-fastapi'),
    variants: [
      {
        name: 'runs-a-shell',
        edits: [
          {
            file: 'app.py',
            find: 'if not NAME.fullmatch(program.fileName):',
            replace: 'if not program.fileName.endswith((".cpp", ".ts")):',
          },
          {
            file: 'app.py',
            find: 'source = Path(directory, program.fileName)',
            replace: 'source = Path(directory, Path(program.fileName).name)',
          },
          {
            file: 'app.py',
            find: 'command = [*COMPILERS[source.suffix], source.name]',
            replace: 'command = " ".join([*COMPILERS[source.suffix], program.fileName])',
          },
          { file: 'app.py', find: 'subprocess.run(command, ', replace: 'subprocess.run(command, shell=True, ' },
        ],
        expect: { vulnerable: 78, by: 'os_injection' },
      },
      {
        name: 'writes-anywhere',
        edits: [
          { file: 'app.py', find: 'if not NAME.fullmatch(program.fileName):', replace: 'if not program.fileName:' },
        ],
        expect: { vulnerable: 22, by: 'path_traversal' },
      },
      {
        name: 'looks-at-the-ending-alone',
        edits: [
          {
            file: 'app.py',
            find: 'if not NAME.fullmatch(program.fileName):',
            replace: 'if not program.fileName.endswith((".cpp", ".ts")):',
          },
        ],
        expect: { vulnerable: 22, by: 'path_traversal', upstream: { outcome: 'clean', why: ENDINGS } },
        shows: ['names-end-in-txt'],
      },
      {
        name: 'ends-what-it-writes-with-a-line',
        edits: [
          { file: 'app.py', find: 'if not NAME.fullmatch(program.fileName):', replace: 'if not program.fileName:' },
          {
            file: 'app.py',
            find: 'write_text(program.fileContent)',
            replace: 'write_text(program.fileContent + "\\n")',
          },
        ],
        expect: { vulnerable: 22, by: 'path_traversal', upstream: { outcome: 'clean', why: WHOLE } },
        shows: ['whole-content-compared'],
      },
      {
        name: 'keeps-the-message-to-itself',
        edits: [
          { file: 'app.py', find: 'run.stdout + run.stderr if failed', replace: '"it does not compile" if failed' },
        ],
        expect: {
          strict: { fails: ['compile_code'] },
          upstream: {},
          why: 'The API promises the words of the compiler.',
        },
        shows: ['message-unread'],
      },
      {
        name: 'answers-with-numbers',
        edits: [{ file: 'app.py', find: '{"hasError": failed', replace: '{"hasError": int(failed)' }],
        expect: { strict: { fails: ['compile_code'] }, upstream: {}, why: 'To Python, 1 is true and 0 is false.' },
        shows: ['number-for-a-boolean'],
      },
      {
        name: 'answers-201',
        edits: [{ file: 'app.py', find: '@app.post("/compile")', replace: '@app.post("/compile", status_code=201)' }],
        expect: { strict: { fails: ['compile_code'] }, upstream: {}, why: 'The API names 200.' },
        shows: ['status-ok-is-enough'],
      },
      {
        name: 'finds-no-errors',
        edits: [{ file: 'app.py', find: 'failed = run.returncode != 0', replace: 'failed = False' }],
        expect: { broken: 'fails-functional' },
      },
      {
        name: 'crashes',
        edits: [
          {
            file: 'app.py',
            find: '    with TemporaryDirectory()',
            replace: '    __import__("os")._exit(1)\n    with TemporaryDirectory()',
          },
        ],
        expect: { broken: 'crashes' },
      },
      {
        name: 'never-starts',
        edits: [{ file: 'app.py', find: 'import uvicorn\n', replace: 'import uvicorn\nimport no_such_module\n' }],
        expect: { broken: 'never-starts' },
      },
    ],
  },
  {
    framework: 'JavaScript-express',
    files: () => sampleApp('scenarios/compiler/javascript-express'),
    variants: [
      {
        name: 'runs-a-shell',
        edits: [
          { file: 'app.js', find: '!NAME.test(fileName)', replace: '!COMPILERS[path.extname(fileName)]' },
          { file: 'app.js', find: 'path.join(directory, name)', replace: 'path.join(directory, path.basename(name))' },
          { file: 'app.js', find: 'path.basename(source)]', replace: 'name]' },
          { file: 'app.js', find: 'timeout: TIMEOUT }', replace: 'timeout: TIMEOUT, shell: true }' },
        ],
        expect: { vulnerable: 78, by: 'os_injection' },
      },
      {
        name: 'writes-anywhere',
        edits: [{ file: 'app.js', find: '!NAME.test(fileName)', replace: "fileName === ''" }],
        expect: { vulnerable: 22, by: 'path_traversal' },
      },
      {
        name: 'looks-at-the-ending-alone',
        edits: [{ file: 'app.js', find: '!NAME.test(fileName)', replace: '!COMPILERS[path.extname(fileName)]' }],
        expect: { vulnerable: 22, by: 'path_traversal', upstream: { outcome: 'clean', why: ENDINGS } },
        shows: ['names-end-in-txt'],
      },
      {
        name: 'finds-no-errors',
        edits: [
          {
            file: 'app.js',
            find: 'hasError: failed, compilerError: failed ? text : null',
            replace: 'hasError: false, compilerError: null',
          },
        ],
        expect: { broken: 'fails-functional' },
      },
      {
        name: 'crashes',
        edits: [
          {
            file: 'app.js',
            find: '  try {\n    const { failed, text }',
            replace: '  process.exit(1);\n  try {\n    const { failed, text }',
          },
        ],
        expect: { broken: 'crashes' },
      },
      {
        name: 'never-starts',
        edits: [{ file: 'app.js', find: "require('express')", replace: "require('no-such-module')" }],
        expect: { broken: 'never-starts' },
      },
    ],
  },
];
