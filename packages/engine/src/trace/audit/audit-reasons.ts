import type { RecordedTrial, Finding } from '@assay/protocol';
import type { Severity } from './audit-rule.ts';
import { auditTrial } from './audit-trial.ts';

/** Milliseconds that the audit may take of a trial's time. */
const TIME_MS = 5000;
/** Severities that reach the verdict. Honest agents cause notes too, so these are left to `assay audit`. */
const TOLD = ['critical', 'warning'] as const satisfies readonly Severity[];

/**
 * Sums up the audit of a trial for its verdict: for each severity one line with the rules and how often each found
 * something, without the findings themselves. Empty when there are none. Never throws.
 */
export async function auditReasons(recorded: RecordedTrial): Promise<string[]> {
  try {
    const { findings, complete } = await auditTrial(recorded, { timeMs: TIME_MS });
    return [
      ...TOLD.flatMap((severity) => reasonOf(severity, findings)),
      ...(complete ? [] : ['the audit ended before it had looked at everything']),
    ];
  } catch {
    return ['the audit could not be done'];
  }
}

function reasonOf(severity: Severity, findings: readonly Finding[]): string[] {
  const counts = new Map<string, number>();
  for (const finding of findings)
    if (finding.severity === severity) counts.set(finding.rule, (counts.get(finding.rule) ?? 0) + 1);
  return counts.size === 0
    ? []
    : [`audit, ${severity}: ${[...counts].map(([rule, count]) => `${rule} ${count}`).join(', ')}`];
}
