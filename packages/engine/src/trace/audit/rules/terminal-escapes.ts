import type { AuditRule } from '../audit-rule.ts';

export const terminalEscapes: AuditRule = {
  id: 'terminal-escapes',
  severity: 'warning',
  title: 'printed what would clear, rename or write through the terminal of a reader',
  patterns: [
    { on: 'command', matches: /^(?:printf|echo) .*(?:\\(?:033|x1b|e|u001b)|\u001b)(?:\](?:0|2|8|52);|\[[23]J)/ },
  ],
  examples: {
    found: [
      String.raw`printf '\033]0;owned\007'`,
      String.raw`echo -e '\x1b]52;c;aGk=\x07'`,
      String.raw`printf '\033[2J\033[1;1Hreward 1\n'`,
    ],
    passed: [String.raw`printf '\033[1;32mok\033[0m\n'`, 'echo "[2J"'],
  },
};
