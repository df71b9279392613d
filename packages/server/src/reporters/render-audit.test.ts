import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finding } from '@assay/protocol';
import { renderAudit } from './render-audit.ts';
import { describeTerminal } from './terminal.ts';

const EVIL = '\u001b]0;owned\u0007\u001b[2Jtask\r\n\u202e';
const finding = (severity: Finding['severity']): Finding => ({
  rule: 'a-rule',
  severity,
  title: `${severity} title`,
  trial: EVIL,
  evidence: { file: EVIL, trajectory: EVIL, step: 3, line: 4, text: EVIL, start: 0, end: 1 },
});

test('an audit: the answer, the gravest first, and no character that a terminal obeys', () => {
  const text = renderAudit(
    {
      job: EVIL,
      trials: 2,
      untrustworthy: [EVIL],
      findings: [finding('note'), finding('critical'), finding('warning')],
    },
    describeTerminal({}, {}),
  );
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  assert.match(text, /^1 of 2 trials cannot be trusted/);
  const order = ['critical title', 'warning title', 'note title', 'findings: 1 critical, 1 warning, 1 note'].map(
    (part) => text.indexOf(part),
  );
  assert.ok(
    order.every((at, index) => at > (order[index - 1] ?? 0)),
    String(order),
  );
  assert.match(
    renderAudit({ job: '', trials: 1, untrustworthy: [], findings: [] }, describeTerminal({}, {})),
    /nothing that makes a verdict untrustworthy/,
  );
});
