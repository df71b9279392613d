import type { AuditRule } from '../audit-rule.ts';

export const unservedWords: AuditRule = {
  id: 'unserved-words',
  severity: 'note',
  title: 'the client told the model of answers or results that the lane did not see',
  patterns: [{ on: 'event', matches: /^(?:not said by the model|The result of a call that the model did not make)/ }],
  examples: {
    found: [
      { event: 'not said by the model: I checked it.' },
      { event: 'The result of a call that the model did not make.' },
    ],
    passed: [{ event: 'The client rewrote the conversation.' }, 'echo hi'],
  },
};
