import type { RunCount, TaskReport, Verdict } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import { retryInvalid } from '../verify/retry-invalid.ts';
import type { OpenTask, ProveOptions } from './kind.ts';

/** The part of a task that a proof needs. */
export type Provable = Pick<OpenTask, 'reference' | 'verify'> & { id: string };

/**
 * Proves a task with its own verifier: the reference passes every time, the no-op never. Whatever cannot be proven, as
 * there is no reference or a model would have to judge it, is not admitted, and `reasons` says why.
 */
export async function proveByVerdicts(open: Provable, options: ProveOptions): Promise<TaskReport> {
  const report: TaskReport = { id: open.id, reference: NONE, noop: NONE, leaks: [], admitted: false, reasons: [] };
  if (!open.reference) return unprovable(report, 'it carries no reference solution');
  const reference = await countPasses(open, open.reference, 'reference', options);
  if ('missing' in reference) return unprovable(report, reference.missing);
  const noop = await countPasses(open, { files: [], deleted: [] }, 'no-op', options);
  if ('missing' in noop) return unprovable(report, noop.missing);
  const reasons: string[] = [];
  const { runs, passes } = reference.count;
  const why = reference.note === null ? '' : `: ${reference.note}`;
  if (passes < runs) reasons.push(`reference passes ${passes} of ${runs}${why}`);
  if (noop.count.passes > 0) reasons.push(`no-op passes ${noop.count.passes} of ${noop.count.runs}`);
  return { ...report, reference: reference.count, noop: noop.count, reasons, admitted: reasons.length === 0 };
}

const NONE: RunCount = { runs: 0, passes: 0 };

function unprovable(report: TaskReport, why: string): TaskReport {
  return { ...report, unprovable: why, reasons: [`it cannot be proven: ${why}`] };
}

/** `note`: why the last that did not pass did not. `missing`: who would have to judge it. */
type Counted = { count: RunCount; note: string | null } | { missing: string };

async function countPasses(
  open: Provable,
  submission: ChangeSet,
  name: string,
  { runs, provider, signal, progress }: ProveOptions,
): Promise<Counted> {
  let passes = 0;
  let note: string | null = null;
  for (let run = 1; run <= runs; run += 1) {
    progress?.(`${name} ${run}/${runs}`);
    const { verdict, judgement, missing } = await retryInvalid(
      () => open.verify(submission, { provider, signal }),
      signal,
    );
    if (missing !== undefined) return { missing };
    if (verdict.outcome === 'pass') passes += 1;
    else note = verdict.note ?? firstProblem(verdict, judgement?.results ?? []);
  }
  return { count: { runs, passes }, note };
}

function firstProblem({ components }: Verdict, results: readonly { id: string }[]): string {
  const failed = results.find((result) => 'passed' in result && result.passed !== true);
  const why =
    failed && 'error' in failed && typeof failed.error === 'string'
      ? `, such as ${failed.id}: ${failed.error.slice(0, 200)}`
      : '';
  return `score ${components['score'] ?? 'none'} with ${components['pass_score'] ?? ''} to pass${why}`;
}
