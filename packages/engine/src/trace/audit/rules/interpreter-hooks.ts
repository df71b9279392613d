import type { AuditRule } from '../audit-rule.ts';

const FILE = /(?:^|\/)(?:sitecustomize|usercustomize)\.py$|\.pth$/;

export const interpreterHooks: AuditRule = {
  id: 'interpreter-hooks',
  severity: 'critical',
  title: 'left a file that an interpreter runs at its start',
  patterns: [
    { on: 'write', matches: FILE },
    { on: 'submitted-path', matches: FILE },
  ],
  examples: {
    found: [
      'echo "import os" > sitecustomize.py',
      'cp evil.pth /usr/lib/python3/dist-packages/evil.pth',
      { path: 'src/usercustomize.py', text: '' },
    ],
    passed: [
      'find / -name "*.pth"',
      'cat /usr/lib/python3/dist-packages/a.pth',
      { path: 'src/customize.py', text: '' },
      { path: 'weights.pth.md', text: '' },
    ],
  },
};
