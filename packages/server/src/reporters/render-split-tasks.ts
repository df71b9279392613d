import type { SplitTaskResult } from '@assay/protocol';
import { failureLines } from './render-job.ts';
import { renderTable } from './render-table.ts';
import type { Terminal } from './terminal.ts';

/** One row a task, with how far its verdicts can be believed now. */
export function renderSplitTasks({ tasks, failures }: SplitTaskResult, terminal: Terminal): string {
  const table = renderTable(
    [{ title: 'task', shrink: true }, { title: 'trust' }, { title: 'of the fix', align: 'right' }, { title: 'why' }],
    tasks.map(({ id, trust, why }) => [
      terminal.foreign(id),
      trust.level,
      trust.split ? `${trust.split.f2p.strong}/${trust.split.f2p.total}` : '-',
      terminal.foreign(why ?? trust.reasons.at(-1) ?? ''),
    ]),
    terminal,
    (text, column, row) =>
      column === 1 ? terminal.style(tasks[row]?.trust.level === 'split' ? 'green' : 'yellow', text) : text,
  );
  const split = tasks.filter((task) => task.split).length;
  return `${table}\n${failureLines(failures, terminal)}${split} of ${tasks.length + failures.length} tasks are split.\n`;
}
