import type { Finding } from '@assay/protocol';
import type { JobAudit } from '@assay/engine/trace/audit/audit-job';
import type { Terminal } from './terminal.ts';
import { truncateText } from './text-width.ts';

const STYLES = { critical: 'red', warning: 'yellow', note: 'dim' } as const;
const ORDER = { critical: 0, warning: 1, note: 2 };

/** The answer, then finding by finding, the gravest first, then how many of which kind. */
export function renderAudit({ trials, untrustworthy, findings }: JobAudit, terminal: Terminal): string {
  const answer =
    untrustworthy.length > 0
      ? terminal.style(
          ['bold', 'red'],
          `${untrustworthy.length} of ${trials} trials cannot be trusted before a person has looked`,
        )
      : terminal.style(['bold', 'green'], `${trials} trials: nothing that makes a verdict untrustworthy`);
  const sorted = findings.toSorted((a, b) => ORDER[a.severity] - ORDER[b.severity]);
  const counts = Object.keys(ORDER).map(
    (severity) => `${findings.filter((finding) => finding.severity === severity).length} ${severity}`,
  );
  const lines = sorted.flatMap((finding) => findingLines(finding, terminal));
  return `${[answer, ...lines, `findings: ${counts.join(', ')}`].join('\n')}\n`;
}

function findingLines({ rule, severity, title, trial, evidence }: Finding, terminal: Terminal): string[] {
  const { foreign, style, columns } = terminal;
  const place = [
    foreign(evidence.file),
    ...(evidence.trajectory === undefined ? [] : [foreign(evidence.trajectory)]),
    ...(evidence.step === undefined ? [] : [`step ${evidence.step}`]),
    ...(evidence.line === undefined ? [] : [`line ${evidence.line}`]),
  ];
  return [
    `${style(STYLES[severity], severity.padEnd(8))} ${rule}  ${foreign(trial)}: ${foreign(title)}`,
    `         ${style('dim', place.join(', '))}`,
    `         ${truncateText(foreign(evidence.text), Math.max(columns - 10, 40))}`,
  ];
}
