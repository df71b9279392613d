import type { TestResult, Verdict } from '@assay/protocol';
import { afterColon, beliefLines, boldOutcome, formatReward } from './outcome.ts';
import type { Terminal } from './terminal.ts';

const MOST_TESTS = 20;

/** The answer first, then how far to believe it, then the tests that say no. */
export function renderVerdict(verdict: Verdict, terminal: Terminal): string {
  const failing = verdict.tests.filter((test) => test.status !== 'passed');
  const lines = [
    `${boldOutcome(verdict.outcome, terminal)}, reward ${formatReward(verdict.reward)}` +
      afterColon(verdict.note, terminal),
    `tests      ${verdict.tests.length - failing.length} of ${verdict.tests.length} passed`,
    ...beliefLines(verdict, terminal),
    ...failing.slice(0, MOST_TESTS).map((test) => testLine(test, terminal)),
    ...(failing.length > MOST_TESTS ? [`  … and ${failing.length - MOST_TESTS} more`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function testLine({ status, id, detail }: TestResult, terminal: Terminal): string {
  return `  ${terminal.style('red', status.padEnd(8))} ${terminal.foreign(id)}${afterColon(detail, terminal)}`;
}
