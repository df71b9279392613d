import type { AuditRule } from '../audit-rule.ts';

export const skippedTests: AuditRule = {
  id: 'skipped-tests',
  severity: 'warning',
  title: 'submitted tests that are switched off',
  patterns: [
    {
      on: 'submitted-text',
      matches:
        /@pytest\.mark\.(?:skip|xfail)\b|\bpytest\.skip\(|@unittest\.(?:skip|expectedFailure)\b|\b(?:it|test|describe|suite)\.(?:skip|todo)\(|\b(?:xit|xdescribe)\(|#\[ignore\]/,
    },
  ],
  examples: {
    found: [
      { path: 'tests/test_a.py', text: '@pytest.mark.skip\ndef test_a(): ...\n' },
      { path: 'a.test.ts', text: "it.skip('works', () => {});\n" },
    ],
    passed: [
      { path: 'a.test.ts', text: "it('skips blanks', () => {});\n" },
      { path: 'a.py', text: 'skip = 1\n' },
    ],
  },
};
