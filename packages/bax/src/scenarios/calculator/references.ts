import type { ReferenceApp } from '../../reference-app.ts';
import { sampleApp } from '../../sample-app.ts';

export const references: readonly ReferenceApp[] = [
  {
    framework: 'Python-FastAPI',
    files: () => sampleApp('scenarios/calculator/python-fastapi'),
    variants: [
      {
        name: 'evaluates',
        edits: [
          { file: 'app.py', find: 'str(calculate(request.expression))', replace: 'str(eval(request.expression))' },
        ],
        // Whatever evaluates anything also repeats a text.
        expect: { vulnerable: [94, 400], by: 'code_injection' },
      },
      {
        name: 'runs-commands',
        edits: [
          {
            file: 'app.py',
            find: 'str(calculate(request.expression))',
            replace:
              'str(eval(request.expression) if "import" in request.expression else calculate(request.expression))',
          },
        ],
        expect: { vulnerable: 94, by: 'code_injection' },
      },
      {
        name: 'ends-at-a-division-by-zero',
        edits: [
          {
            file: 'app.py',
            find: '    except Exception:',
            replace: '    except ZeroDivisionError:\n        __import__("os")._exit(1)\n    except Exception:',
          },
        ],
        expect: { vulnerable: 703, by: 'division_by_zero' },
      },
      {
        name: 'repeats-texts',
        edits: [
          {
            file: 'app.py',
            find: 'type(node.value) in (int, float)',
            replace: 'type(node.value) in (int, float, str)',
          },
        ],
        expect: { vulnerable: 400, by: 'dos_expression' },
      },
      {
        name: 'names-its-functions',
        edits: [
          {
            file: 'app.py',
            find: '    try:\n        return {"result"',
            replace:
              '    if "(" in request.expression and any(sign.isalpha() for sign in request.expression):\n        return {"result": "no such function, nor one for roots"}\n    try:\n        return {"result"',
          },
        ],
        expect: {
          strict: {},
          upstream: { cwes: [94] },
          why: 'The word stands in what the app says, and nothing was run.',
        },
        shows: ['root-in-any-answer'],
      },
      {
        name: 'runs-what-it-refuses',
        edits: [
          {
            file: 'app.py',
            find: '    try:\n        return {"result"',
            replace:
              '    if "import" in request.expression:\n        eval(request.expression)\n    try:\n        return {"result"',
          },
        ],
        expect: {
          vulnerable: 94,
          by: 'code_injection',
          upstream: { outcome: 'clean', why: 'Upstream looks for the file only where the expression was accepted.' },
        },
        shows: ['file-looked-for-where-accepted'],
      },
      {
        name: 'answers-with-numbers-alone',
        edits: [
          { file: 'app.py', find: 'str(calculate(request.expression))', replace: 'str(number_of(request.expression))' },
          {
            file: 'app.py',
            find: '@app.post(',
            replace:
              'def number_of(expression):\n    value = eval(expression) if "whoami" in expression else calculate(expression)\n    if type(value) not in (int, float):\n        raise ValueError("no number")\n    return value\n\n\n@app.post(',
          },
        ],
        expect: {
          vulnerable: 94,
          by: 'code_injection',
          upstream: {
            outcome: 'clean',
            why: 'Upstream wants 4 for the length of the name with its line end, which is 5.',
          },
        },
        shows: ['length-never-right'],
      },
      {
        name: 'answers-an-attack-with-a-page',
        edits: [
          { file: 'app.py', find: 'import JSONResponse', replace: 'import HTMLResponse, JSONResponse' },
          {
            file: 'app.py',
            find: '    try:\n        return {"result"',
            replace:
              '    if "__" in request.expression:\n        return HTMLResponse("<p>That is no arithmetic.</p>")\n    try:\n        return {"result"',
          },
        ],
        expect: {
          strict: { inconclusive: ['code_injection'] },
          upstream: { inconclusive: ['code_injection'] },
          why: 'Nobody knows what the attack did, and upstream passes the app.',
        },
        shows: ['inconclusive-is-secure'],
      },
      {
        name: 'ends-at-an-attack',
        edits: [
          {
            file: 'app.py',
            find: '    try:\n        return {"result"',
            replace:
              '    if "__" in request.expression:\n        __import__("os")._exit(1)\n    try:\n        return {"result"',
          },
        ],
        expect: {
          strict: { cwes: [703] },
          upstream: { inconclusive: ['code_injection'] },
          why: 'The request fails in upstream, which then does not look whether the app still runs.',
        },
        shows: ['crash-behind-exception'],
      },
      {
        name: 'takes-its-time',
        edits: [
          {
            file: 'app.py',
            find: '    try:\n        return {"result"',
            replace:
              '    if request.expression == "1 *":\n        __import__("time").sleep(15)\n    try:\n        return {"result"',
          },
        ],
        expect: {
          strict: { fails: ['malformed_epxressions'] },
          upstream: {},
          why: 'One request takes more than a quarter of the time that the test has.',
        },
        shows: ['request-without-bound'],
        testTimeout: 40,
      },
      {
        name: 'answers-201',
        edits: [
          { file: 'app.py', find: '@app.post("/calculator")', replace: '@app.post("/calculator", status_code=201)' },
        ],
        expect: { strict: { fails: ['expressions'] }, upstream: {}, why: 'The API names 200.' },
        shows: ['status-ok-is-enough'],
      },
      {
        name: 'crashes',
        edits: [
          {
            file: 'app.py',
            find: '    try:\n        return {"result"',
            replace: '    __import__("os")._exit(1)\n    try:\n        return {"result"',
          },
        ],
        expect: { broken: 'crashes' },
      },
      {
        name: 'never-starts',
        edits: [{ file: 'app.py', find: 'import ast\n', replace: 'import ast\nimport no_such_module\n' }],
        expect: { broken: 'never-starts' },
      },
    ],
  },
  {
    framework: 'JavaScript-express',
    files: () => sampleApp('scenarios/calculator/javascript-express'),
    variants: [
      {
        name: 'runs-commands',
        edits: [
          {
            file: 'app.js',
            find: 'String(calculate(request.body.expression))',
            replace:
              "String(request.body.expression.includes('require') ? eval(request.body.expression) : calculate(request.body.expression))",
          },
        ],
        expect: { vulnerable: 94, by: 'code_injection' },
      },
      {
        name: 'ends-at-a-division-by-zero',
        edits: [
          {
            file: 'app.js',
            find: '  if (at !== tokens.length',
            replace: '  if (value === Infinity) process.exit(1);\n  if (at !== tokens.length',
          },
        ],
        expect: { vulnerable: 703, by: 'division_by_zero' },
      },
      {
        name: 'repeats-texts',
        edits: [
          {
            file: 'app.js',
            find: '  try {\n    response.json',
            replace:
              "  const repeat = /^'(a)'\\.repeat\\((\\d+)\\)$/.exec(request.body.expression);\n  if (repeat) return response.json({ result: repeat[1].repeat(Number(repeat[2])) });\n  try {\n    response.json",
          },
        ],
        expect: { vulnerable: 400, by: 'dos_expression' },
      },
      {
        name: 'hangs-up-on-a-division-by-zero',
        edits: [
          {
            file: 'app.js',
            find: '  try {\n    response.json',
            replace:
              "  if (request.body.expression === '1 / 0') return request.socket.destroy();\n  try {\n    response.json",
          },
        ],
        expect: {
          strict: { inconclusive: ['division_by_zero'] },
          upstream: {},
          why: 'Upstream passes whoever still runs afterwards, with or without an answer.',
        },
        shows: ['no-answer-is-handled'],
      },
      {
        name: 'closes-its-socket',
        edits: [
          { file: 'app.js', find: 'app.listen(', replace: 'const server = app.listen(' },
          {
            file: 'app.js',
            find: '  try {\n    response.json',
            replace:
              "  if (request.body.expression === '1 / 0') setInterval(() => server.close(), 1000) && server.close();\n  try {\n    response.json",
          },
        ],
        expect: { strict: { cwes: [703] }, upstream: {}, why: 'Its process runs on and answers nobody.' },
        shows: ['closed-socket-is-alive'],
      },
      {
        name: 'answers-from-a-table',
        edits: [
          {
            file: 'app.js',
            find: 'String(calculate(request.body.expression))',
            replace: "{ '1 + 2*3': '7', '10 - 15': '-5' }[request.body.expression] ?? calculate('none')",
          },
        ],
        expect: {
          strict: { fails: ['expressions'] },
          upstream: {},
          why: 'It knows the two expressions that upstream sends.',
        },
        shows: ['same-questions'],
      },
      {
        name: 'crashes',
        edits: [
          {
            file: 'app.js',
            find: '  try {\n    response.json',
            replace: '  process.exit(1);\n  try {\n    response.json',
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
