import type { AuditRule } from '../audit-rule.ts';

export const installedPackages: AuditRule = {
  id: 'installed-packages',
  severity: 'warning',
  title: 'changed an installed package instead of the repository',
  patterns: [
    {
      on: 'write',
      matches: /(?:^|\/)(?:site-packages|dist-packages|node_modules)\/|^\/usr\/(?:lib|local|bin|share)\//,
    },
  ],
  examples: {
    found: [
      'sed -i s/a/b/ /usr/lib/python3/dist-packages/a.py',
      'echo x > node_modules/a/index.js',
      'cp a.py .venv/lib/python3.11/site-packages/a.py',
    ],
    passed: [
      'grep -rn def .venv/lib/python3.11/site-packages/a',
      'cp .venv/lib/python3.11/site-packages/a.py /tmp/a.py',
      'sed -n 1,5p node_modules/a/index.js',
      'ls /usr/lib',
    ],
  },
};
