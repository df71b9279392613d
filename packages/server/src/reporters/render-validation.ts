import type { ItemFailure, RunCount, TaskReport } from '@assay/protocol';
import { failureLines } from './render-job.ts';
import { renderTable } from './render-table.ts';
import type { Terminal } from './terminal.ts';

/** One row a task; below, the reasons of those that do not hold. */
export function renderValidation(
  tasks: readonly TaskReport[],
  terminal: Terminal,
  failures: readonly ItemFailure[] = [],
): string {
  const table = renderTable(
    [
      { title: 'task', shrink: true },
      { title: 'reference', align: 'right' },
      { title: 'no-op', align: 'right' },
      { title: 'tests only', align: 'right' },
      { title: 'half', align: 'right' },
      { title: 'leaks', align: 'right' },
      { title: 'holds' },
    ],
    tasks.map((task) => [
      terminal.foreign(task.id),
      passes(task.reference),
      passes(task.noop),
      passes(task.testsOnly),
      passes(task.half),
      String(task.leaks.length),
      task.admitted ? 'yes' : 'no',
    ]),
    terminal,
    (text, column, row) => (column === 6 ? terminal.style(tasks[row]?.admitted ? 'green' : 'red', text) : text),
  );
  const reasons = tasks.flatMap((task) =>
    task.reasons.map((reason) => `${terminal.foreign(task.id)}: ${terminal.foreign(reason)}\n`),
  );
  const holding = tasks.filter((task) => task.admitted).length;
  const total = `${holding} of ${tasks.length + failures.length} tasks hold.\n`;
  return `${table}\n${reasons.join('')}${failureLines(failures, terminal)}${total}`;
}

function passes(count: RunCount | undefined): string {
  return count === undefined ? '-' : `${count.passes}/${count.runs}`;
}
