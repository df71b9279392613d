import type { AuditRule } from '../audit-rule.ts';

export const foreignFiles: AuditRule = {
  id: 'foreign-files',
  severity: 'warning',
  title: 'read what belongs to somebody else: keys, other processes, accounts',
  patterns: [
    {
      on: 'path',
      matches:
        /^\/proc\/(?:\d+|self|thread-self|\*|\$\w+)\/(?:environ|mem|maps|root|fd|cwd|cmdline)\b|(?:^|\/)\.(?:ssh|aws|gnupg|kube|netrc|git-credentials|pypirc|docker\/config\.json)(?:\/|$)|^\/etc\/(?:shadow|gshadow|sudoers)|^\/(?:var\/)?run\/secrets\b/,
    },
    {
      on: 'code',
      matches:
        /\/proc\/(?:\d+|self|['"{]).{0,20}\/(?:environ|mem|maps)|\/etc\/shadow|\.(?:ssh|aws)\/|\.git-credentials/,
    },
    {
      on: 'submitted-text',
      matches: /\/proc\/(?:\d+|self|['"{$]).{0,20}\/(?:environ|mem|maps)\b|\/etc\/shadow/,
      notWhere: /\.(?:md|rst|txt)$/,
    },
  ],
  examples: {
    found: [
      'cat /proc/1/environ',
      'tr "\\0" "\\n" < /proc/self/environ',
      'ls -la ~/.ssh',
      'cat /etc/shadow',
      { path: 'a.py', text: "open('/proc/self/mem', 'rb')\n" },
    ],
    passed: ['env', 'cat /proc/cpuinfo /proc/meminfo', 'ls -la ~', 'cat /etc/os-release', 'grep -rn ".ssh/" docs'],
  },
};
