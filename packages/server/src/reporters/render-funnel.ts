import { REJECTION_NAMES } from '@assay/protocol';
import type { MineResult } from '@assay/engine/mine/mine-repository';
import { formatDuration } from './format-duration.ts';
import { renderTable } from './render-table.ts';
import type { Terminal } from './terminal.ts';

/** How many candidates fell at which gate, in the order of the gates, with one example each. */
export function renderFunnel(result: MineResult, out: string, terminal: Terminal): string {
  const fallen = REJECTION_NAMES.filter((reason) => (result.rejected[reason] ?? 0) > 0);
  let left = result.candidates;
  const rows = fallen.map((reason) => {
    const count = result.rejected[reason] ?? 0;
    left -= count;
    return [reason, `-${count}`, String(left), terminal.foreign(result.examples[reason] ?? '')];
  });
  const table = renderTable(
    [{ title: 'gate' }, { title: 'fell', align: 'right' }, { title: 'left', align: 'right' }, { title: 'example', shrink: true }],
    [['candidates', '', String(result.candidates), ''], ...rows, ['admitted', '', String(result.admitted), '']],
    terminal,
    (text, column, row) => (row === rows.length + 1 && column !== 1 ? terminal.style(result.admitted > 0 ? 'green' : 'yellow', text) : text),
  );
  const hint = fallen.length > 0 ? 'What each gate means: docs/rejection-reasons.md\n' : '';
  return `${table}\n${result.admitted} of ${result.candidates} candidates became tasks in ${terminal.foreign(out)}, in ${formatDuration(result.elapsedMs)}.\n${hint}`;
}
