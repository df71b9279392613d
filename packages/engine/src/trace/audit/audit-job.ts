import { AssayError, type JobAudit } from '@assay/protocol';
import { listTrials } from '../find-trial.ts';
import { readTrial } from '../read-trial.ts';
import { auditTrial } from './audit-trial.ts';
import { AUDIT_RULES } from './rules/index.ts';

export type { JobAudit } from '@assay/protocol';

export interface AuditOptions {
  /** Ids of the rules to go by. Default: all. */
  rules?: readonly string[];
  signal?: AbortSignal;
}

/**
 * Audits every finished trial of a job. Throws `JOB_NOT_FOUND`, `TRIAL_NOT_FOUND` for a trial whose files are not what
 * Assay writes, and `BAD_OPTION` for a rule that there is not.
 */
export async function auditJob(job: string, { rules: wanted = [], signal }: AuditOptions = {}): Promise<JobAudit> {
  const unknown = wanted.find((id) => AUDIT_RULES.every((rule) => rule.id !== id));
  if (unknown !== undefined)
    throw new AssayError('BAD_OPTION', {
      option: '--rule',
      detail: `no rule is called ${unknown}. There are: ${AUDIT_RULES.map(({ id }) => id).join(', ')}.`,
    });
  const rules = wanted.length === 0 ? AUDIT_RULES : AUDIT_RULES.filter(({ id }) => wanted.includes(id));
  const audit: JobAudit = { job, trials: 0, untrustworthy: [], findings: [] };
  for (const directory of await listTrials(job)) {
    signal?.throwIfAborted();
    const recorded = await readTrial(directory);
    const { findings } = await auditTrial(recorded, { rules });
    audit.trials += 1;
    audit.findings.push(...findings);
    if (findings.some(({ severity }) => severity === 'critical')) audit.untrustworthy.push(recorded.trial.id);
  }
  return audit;
}
