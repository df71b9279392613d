import { REJECTION_NAMES } from '@assay/protocol';
import type { MineResult } from '@assay/engine/mine/mine-repository';
import { formatDuration } from './format-duration.ts';
import { renderTable } from './render-table.ts';
import type { Terminal } from './terminal.ts';
import { truncateText } from './text-width.ts';

const EXAMPLE_WIDTH = 400;

/** How many candidates fell at which gate, in the order of the gates, then one example of each. */
export function renderFunnel(result: MineResult, out: string, terminal: Terminal): string {
  const fallen = REJECTION_NAMES.filter((reason) => (result.rejected[reason] ?? 0) > 0);
  let left = result.candidates;
  const gates = fallen.map((reason) => {
    const count = result.rejected[reason] ?? 0;
    left -= count;
    return [reason, `-${count}`, String(left)];
  });
  const rows = [['candidates', '', String(result.candidates)], ...gates, ['admitted', '', String(result.admitted)]];
  const table = renderTable(
    [{ title: 'gate' }, { title: 'fell', align: 'right' }, { title: 'left', align: 'right' }],
    rows,
    terminal,
    (text, _column, row) => (row === rows.length - 1 ? terminal.style(result.admitted > 0 ? 'green' : 'yellow', text) : text),
  );
  const examples = fallen.map((reason) => {
    const example = truncateText(terminal.foreign(result.examples[reason] ?? ''), EXAMPLE_WIDTH);
    return `${terminal.style('bold', reason)}  ${example}\n`;
  });
  const seen = examples.length > 0 ? `\nOne example each (what the gates mean: docs/rejection-reasons.md):\n${examples.join('')}` : '';
  const outcome = `${result.admitted} of ${result.candidates} candidates became tasks in ${terminal.foreign(out)}, in ${formatDuration(result.elapsedMs)}.`;
  return `${table}${seen}\n${outcome}\n`;
}
