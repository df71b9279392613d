import type { Receipt, ReceiptReport } from '@assay/protocol';
import type { Terminal } from './terminal.ts';

const MOST_DIFFERENCES = 20;
const MARKS = { pass: ['green', 'pass'], fail: ['red', 'FAIL'], unchecked: ['yellow', '-   '] } as const;

/** The answer, then every check, then what came out otherwise. */
export function renderReceiptReport(
  { valid, checks, receipt, differences }: ReceiptReport,
  terminal: Terminal,
): string {
  const answer = valid ? terminal.style(['bold', 'green'], 'valid') : terminal.style(['bold', 'red'], 'not valid');
  const about = receipt === null ? '' : `: ${aboutReceipt(receipt, terminal)}`;
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.map(({ name, status, detail }) => {
    const [style, mark] = MARKS[status];
    return `  ${terminal.style(style, mark)}  ${name.padEnd(width)}  ${terminal.foreign(detail)}`;
  });
  const different = (differences ?? [])
    .slice(0, MOST_DIFFERENCES)
    .map(
      ({ id, recorded, now }) =>
        `  ${terminal.foreign(id)}: recorded ${terminal.foreign(recorded)}, now ${terminal.foreign(now)}`,
    );
  const more = (differences?.length ?? 0) - different.length;
  return `${[`${answer}${about}`, ...lines, ...different, ...(more > 0 ? [`  … and ${more} more`] : [])].join('\n')}\n`;
}

function aboutReceipt({ subject, verdict, trust, sandbox }: Receipt, terminal: Terminal): string {
  const id = subject.id === undefined ? '' : ` ${terminal.foreign(subject.id)}`;
  return `${subject.kind}${id}, ${verdict.outcome}, trust ${trust.level}, isolation ${sandbox.isolation}`;
}
