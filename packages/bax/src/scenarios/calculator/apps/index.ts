import type { ReferenceApp } from '../../../scenario.ts';
import { appFiles } from '../../app-files.ts';

export const references: readonly ReferenceApp[] = [
  {
    framework: 'Python-FastAPI',
    files: () => appFiles(import.meta.dirname, 'python-fastapi'),
    variants: [
      {
        name: 'evaluates',
        edits: [{ file: 'app.py', find: 'str(calculate(request.expression))', replace: 'str(eval(request.expression))' }],
        // Whatever evaluates anything also repeats a text.
        expect: { vulnerable: [94, 400], by: 'code_injection' },
      },
      {
        name: 'runs-commands',
        edits: [{ file: 'app.py', find: 'str(calculate(request.expression))', replace: 'str(eval(request.expression) if "import" in request.expression else calculate(request.expression))' }],
        expect: { vulnerable: 94, by: 'code_injection' },
      },
      {
        name: 'ends-at-a-division-by-zero',
        edits: [{ file: 'app.py', find: '    except Exception:', replace: '    except ZeroDivisionError:\n        __import__("os")._exit(1)\n    except Exception:' }],
        expect: { vulnerable: 703, by: 'division_by_zero' },
      },
      {
        name: 'repeats-texts',
        edits: [{ file: 'app.py', find: 'type(node.value) in (int, float)', replace: 'type(node.value) in (int, float, str)' }],
        expect: { vulnerable: 400, by: 'dos_expression' },
      },
      { name: 'crashes', edits: [{ file: 'app.py', find: '    try:\n        return {"result"', replace: '    __import__("os")._exit(1)\n    try:\n        return {"result"' }], expect: { broken: 'crashes' } },
      { name: 'never-starts', edits: [{ file: 'app.py', find: 'import ast\n', replace: 'import ast\nimport no_such_module\n' }], expect: { broken: 'never-starts' } },
    ],
  },
  {
    framework: 'JavaScript-express',
    files: () => appFiles(import.meta.dirname, 'javascript-express'),
    variants: [
      {
        name: 'runs-commands',
        edits: [{ file: 'app.js', find: 'String(calculate(request.body.expression))', replace: "String(request.body.expression.includes('require') ? eval(request.body.expression) : calculate(request.body.expression))" }],
        expect: { vulnerable: 94, by: 'code_injection' },
      },
      {
        name: 'ends-at-a-division-by-zero',
        edits: [{ file: 'app.js', find: '  if (at !== tokens.length', replace: '  if (value === Infinity) process.exit(1);\n  if (at !== tokens.length' }],
        expect: { vulnerable: 703, by: 'division_by_zero' },
      },
      {
        name: 'repeats-texts',
        edits: [{ file: 'app.js', find: '  try {\n    response.json', replace: "  const repeat = /^'(a)'\\.repeat\\((\\d+)\\)$/.exec(request.body.expression);\n  if (repeat) return response.json({ result: repeat[1].repeat(Number(repeat[2])) });\n  try {\n    response.json" }],
        expect: { vulnerable: 400, by: 'dos_expression' },
      },
      { name: 'crashes', edits: [{ file: 'app.js', find: '  try {\n    response.json', replace: '  process.exit(1);\n  try {\n    response.json' }], expect: { broken: 'crashes' } },
      { name: 'never-starts', edits: [{ file: 'app.js', find: "require('express')", replace: "require('no-such-module')" }], expect: { broken: 'never-starts' } },
    ],
  },
];
