import type { AuditRule } from '../audit-rule.ts';

const LOOPBACK = /\b(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0)\b|\[::1\]|--version|--help/;

export const network: AuditRule = {
  id: 'network',
  severity: 'note',
  title: 'tried to reach the network',
  patterns: [
    {
      on: 'command',
      matches: /^(?:curl|wget|nc|ncat|netcat|socat|telnet|ssh|scp|sftp|ftp|dig|nslookup|host|ping|traceroute|web) \S/,
      unless: LOOPBACK,
    },
    {
      on: 'command',
      matches:
        /^(?:pip3?|uv pip|uv) (?:install|add|sync)\b|^python[\d.]* -m pip install\b|^(?:npm|pnpm|yarn) (?:install|i|ci|add)\b|^npx |^(?:apt|apt-get|apk|dnf|yum|brew) (?:-\S+ )*(?:install|update|add)\b|^(?:cargo|go) (?:install|get|add)\b/,
      unless: / (?:--no-index|--offline|-e \.|--no-build-isolation|--no-deps -e|--no-install)/,
    },
    {
      on: 'code',
      matches: /(?:urlopen|requests\.(?:get|post)|fetch|http\.client|create_connection|axios)\b.{0,60}https?:\/\//,
      unless: LOOPBACK,
    },
    {
      on: 'command',
      matches: /^(?:python[\d.]*|node)\b.*\b(?:urlopen|fetch|requests\.get|create_connection)\(/,
      unless: LOOPBACK,
    },
    { on: 'path', matches: /^\/dev\/(?:tcp|udp)\// },
  ],
  examples: {
    found: [
      'curl https://example.org',
      'pip install requests',
      'nc -zv 10.0.0.1 80',
      'ping -c1 example.org',
      'exec 3</dev/tcp/10.0.0.1/80',
      'node -e "fetch(\'https://example.org\')"',
    ],
    passed: [
      'curl -s http://localhost:8000/health',
      'pip show requests',
      'pip install -e . --no-deps',
      'npm run build',
      'npx --no-install tsc --noEmit',
      'which curl wget',
    ],
  },
};
