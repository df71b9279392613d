import { defineCommand } from '../command.ts';

export const audit = defineCommand({
  name: 'audit',
  summary: 'look through what agents did in a job, by fixed rules',
  description: `Looks through the model lane's record, the agent's log and the submission of each trial for what should
not be there (docs/audit.md lists the rules): lookups of the fix, forged results, hooks of the test runner, daemons.
Exits 1 when a finding makes a verdict untrustworthy.`,
  example: 'assay audit jobs/a --json',
  arguments: [{ name: 'job', description: 'the directory that `assay run --out` wrote' }],
  options: { rule: { kind: 'list', value: 'ID', description: 'only this rule; may be repeated' } },
  async run({ job, rule: rules }, { signal }) {
    const { auditJob } = await import('@assay/engine/trace/audit/audit-job');
    const { renderAudit } = await import('../reporters/render-audit.ts');
    const document = await auditJob(job, { rules, signal });
    return {
      exitCode: document.untrustworthy.length > 0 ? 1 : 0,
      document,
      render: (terminal) => renderAudit(document, terminal),
    };
  },
});
