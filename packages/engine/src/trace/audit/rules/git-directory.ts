import type { AuditRule } from '../audit-rule.ts';

export const gitDirectory: AuditRule = {
  id: 'git-directory',
  severity: 'warning',
  title: 'made git run something, or wrote into its directory',
  patterns: [
    { on: 'write', matches: /(?:^|\/)\.git\/(?:config|hooks|objects|refs|info|HEAD|index|packed-refs)\b/ },
    {
      on: 'command',
      matches:
        /^git config\b.*\b(?:core\.(?:hookspath|fsmonitor|sshcommand|pager|editor)|diff\.external|filter\.|alias\.|credential\.|include\.path)/i,
    },
  ],
  examples: {
    found: [
      'echo evil > .git/hooks/post-checkout',
      'git config core.hooksPath /tmp/h',
      'git config --global core.fsmonitor /tmp/x',
    ],
    passed: [
      'git config user.email a@example.org',
      'git add -A && git commit -m x',
      'cat .git/config',
      'ls .git',
      'echo x >> .gitignore',
    ],
  },
};
