import type { CandidateEnd, MineResult, PipelineNotes } from '@assay/protocol';

/** Summarises a run: its counts, and every candidate with its end. */
export function summarise(
  ends: readonly CandidateEnd[],
  notes: PipelineNotes | undefined,
): Omit<MineResult, 'elapsedMs'> {
  const ledger = ends.toSorted((a, b) => (a.candidate < b.candidate ? -1 : Number(a.candidate > b.candidate)));
  const rejected: MineResult['rejected'] = {};
  for (const end of ledger) if (end.outcome === 'rejected') rejected[end.reason] = (rejected[end.reason] ?? 0) + 1;
  const tasks = ledger.flatMap((end) => (end.outcome === 'admitted' ? [end.task] : [])).sort();
  return {
    candidates: ledger.length,
    admitted: tasks.length,
    deferred: ledger.filter(({ outcome }) => outcome === 'deferred').length,
    rejected,
    ledger,
    tasks,
    notes,
  };
}
