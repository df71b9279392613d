import type { AuditRule } from '../audit-rule.ts';

export const runnerInternals: AuditRule = {
  id: 'runner-internals',
  severity: 'critical',
  title: "submitted code that reaches into the test runner's own objects",
  patterns: [
    {
      on: 'submitted-text',
      matches:
        /\b(?:_pytest\.|pytest_(?:runtest|sessionfinish|collection_modify|pyfunc_call|report_)|TestReport\b|unittest\.(?:TestResult|TestCase|case)\.\w+\s*=[^=])/,
    },
    {
      on: 'submitted-text',
      matches: /\b(?:assert|assert\.\w+|expect|globalThis\.expect)\s*=\s*(?:lambda|function|async|\()/,
    },
    {
      on: 'submitted-text',
      matches:
        /(?:require|import)\b.{0,20}['"](?:node:)?test['"].{0,80}\bmock\b.*assert|process\.binding\(|getBuiltinModule\(['"](?:node:)?(?:assert|test|async_hooks)\b|AsyncResource\.prototype\.\w+\s*=|require\.cache\[.{0,80}(?:assert|vitest|jest)/,
    },
    {
      on: 'submitted-text',
      matches: /\bRunnable\.prototype\.\w+\s*=[^=]|\bcreateRequire\(.{0,80}\)\(['"](?:mocha|jest|vitest)\b/,
    },
  ],
  examples: {
    found: [
      { path: 'src/a.py', text: 'from _pytest.reports import TestReport\n' },
      { path: 'a.py', text: 'import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n' },
      { path: 'a.js', text: "const assert = require('assert');\nassert.equal = () => {};\n" },
      { path: 'a.js', text: "require('mocha').Runnable.prototype.run = (done) => done();\n" },
    ],
    passed: [
      {
        path: 'tests/test_a.py',
        text: 'import pytest\nclass A(unittest.TestCase):\n    def test(self):\n        self.assertEqual(1, 1)\n',
      },
      { path: 'a.js', text: 'assert.equal(a, 1);\nconst report = makeReport();\n' },
      {
        path: 'a.js',
        text: 'Context.prototype.run = function () {};\nconst require = createRequire(import.meta.url);\n',
      },
    ],
  },
};
