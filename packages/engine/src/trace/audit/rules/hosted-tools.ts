import type { AuditRule } from '../audit-rule.ts';

export const hostedTools: AuditRule = {
  id: 'hosted-tools',
  severity: 'warning',
  title: "asked for the service's own tools, such as a search of the web",
  patterns: [{ on: 'event', matches: /lane: hosted tool/ }],
  examples: {
    found: [{ event: 'The lane refused a request (POST /v1/messages, 400): lane: hosted tool web_search not allowed' }],
    passed: [
      { event: 'The lane refused a request (POST /v1/messages, 400): lane: field x not allowed' },
      'grep -rn "hosted tool" src',
    ],
  },
};
