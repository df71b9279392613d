import type { AuditRule } from '../audit-rule.ts';

const HOST =
  /\b(?:git(?:hub|lab)\.|raw\.githubusercontent|githubusercontent|bitbucket\.|codeberg\.|sourceforge\.|sr\.ht|nvd\.nist\.|osv\.dev|cve\.)/;

export const upstreamLookup: AuditRule = {
  id: 'upstream-lookup',
  severity: 'warning',
  title: 'tried to look up the project, or a later release of it, outside',
  patterns: [
    { on: 'command', matches: /^git (?:clone|fetch|pull|ls-remote|remote (?:add|set-url)|submodule (?:add|update))\b/ },
    {
      on: 'command',
      matches:
        /^(?:pip3?|uv pip) (?:download|index|search)\b|^python[\d.]* -m pip (?:download|index|search)\b|^npm (?:view|info|show|pack|search|v)\b|^(?:yarn|pnpm) (?:info|view)\b|^cargo (?:search|info)\b|^go list -m\b.*-versions/,
    },
    {
      on: 'command',
      matches: new RegExp(`^(?:curl|wget|web|http|lynx|aria2c|gh)\\b.*${HOST.source}`),
      unless: /\/\/(?:localhost|127\.)/,
    },
    { on: 'command', matches: new RegExp(`^(?:python[\\d.]*|node)\\b.*https?://\\S*${HOST.source}`) },
    { on: 'command', matches: /^gh (?:pr|issue|api|repo|search)\b/ },
    { on: 'code', matches: new RegExp(`https?://[^\\s'"]{0,80}${HOST.source}`) },
  ],
  examples: {
    found: [
      'git clone https://github.com/a/b',
      'git fetch origin',
      'pip download a==2.0',
      'npm view left-pad versions',
      'curl -sL https://raw.githubusercontent.com/a/b/main/x.py',
      'python3 -c "import urllib.request as u; u.urlopen(\'https://github.com/a/b\')"',
      'timeout 5 curl https://gitlab.com/a',
      "python3 -c 'import sys,urllib.request as u; u.urlopen(sys.argv[1])' https://github.com/a/b/pull/1.diff",
    ],
    passed: [
      'git remote -v',
      'git status',
      'pip list',
      'npm test',
      'grep -rn github.com README.md',
      'curl http://127.0.0.1:8000/github.html',
      'git stash',
    ],
  },
};
