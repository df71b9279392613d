import { REJECTION_NAMES } from '@assay/protocol';
import type { MineResult } from '@assay/engine/mine/mine-repository';
import { formatDuration } from './format-duration.ts';
import { renderTable } from './render-table.ts';
import type { Terminal } from './terminal.ts';
import { truncateText } from './text-width.ts';

const EXAMPLE_WIDTH = 400;
const REFUSED_SHOWN = 5;

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
    (text, _column, row) =>
      row === rows.length - 1 ? terminal.style(result.admitted > 0 ? 'green' : 'yellow', text) : text,
  );
  const examples = fallen.map((reason) => {
    const example = truncateText(terminal.foreign(result.examples[reason] ?? ''), EXAMPLE_WIDTH);
    return `${terminal.style('bold', reason)}  ${example}\n`;
  });
  const seen =
    examples.length > 0
      ? `\nOne example each (what the gates mean: docs/rejection-reasons.md):\n${examples.join('')}`
      : '';
  const outcome = `${result.admitted} of ${result.candidates} candidates became tasks in ${terminal.foreign(out)}, in ${formatDuration(result.elapsedMs)}.`;
  return `${advisoryLines(result, terminal)}${table}${seen}\n${outcome}\n`;
}

/** Of pipelines that start from advisories: what became of the records before the first gate. */
function advisoryLines({ advisories }: MineResult, terminal: Terminal): string {
  if (!advisories) return '';
  const { read, withdrawn, elsewhere, merged, refused } = advisories;
  const left = refused.map(
    (text) => `${terminal.style('yellow', 'left out')}  ${truncateText(terminal.foreign(text), EXAMPLE_WIDTH)}\n`,
  );
  const more = left.length > REFUSED_SHOWN ? `and ${left.length - REFUSED_SHOWN} more files left out\n` : '';
  return `${read} advisories read: ${elsewhere} of other projects, ${withdrawn} withdrawn, ${merged} the same as another\n${left.slice(0, REFUSED_SHOWN).join('')}${more}\n`;
}
