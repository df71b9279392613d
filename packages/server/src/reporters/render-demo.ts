import type { DemoResult } from '@assay/protocol';
import { formatDuration } from './format-duration.ts';
import { formatReward } from './outcome.ts';
import { renderTable } from './render-table.ts';
import type { Terminal } from './terminal.ts';

interface Row {
  agent: string;
  title: string;
  sealed: number | null | undefined;
  unsealed: number | null | undefined;
}

/**
 * One row an agent: its reward with the cheat's own seal off, beside its reward with every seal on. `holds`: as it must
 * be.
 */
export function renderDemo(result: DemoResult, holds: boolean, terminal: Terminal): string {
  const rows = toRows(result);
  const table = renderTable(
    [
      { title: 'agent' },
      { title: 'what it does', shrink: true },
      { title: 'its seal off', align: 'right' },
      { title: 'sealed', align: 'right' },
    ],
    rows.map((row) => [
      terminal.foreign(row.agent),
      terminal.foreign(row.title),
      formatReward(row.unsealed),
      formatReward(row.sealed),
    ]),
    terminal,
    (text, column, row) => paint(text, column, rows[row], terminal),
  );
  const { reference, noop } = result.proof;
  return [
    terminal.style('bold', `Task ${terminal.foreign(result.task)}`),
    `Proof: the reference solution passes ${reference.passes} of ${reference.runs} runs, ` +
      `doing nothing passes ${noop.passes} of ${noop.runs}.`,
    '',
    table,
    holds
      ? 'Only the honest solution scores. Each cheat scored 1 until its seal was on.'
      : terminal.style('red', 'This is not as it must be: a proof or a seal does not hold on this machine.'),
    `Took ${formatDuration(result.elapsedMs)}.`,
    '',
  ].join('\n');
}

function toRows({ trials }: DemoResult): Row[] {
  const rows = new Map<string, Row>();
  for (const { agent, title, sealed, reward } of trials) {
    const row = rows.get(agent) ?? { agent, title, sealed: undefined, unsealed: undefined };
    row[sealed ? 'sealed' : 'unsealed'] = reward;
    rows.set(agent, row);
  }
  return [...rows.values()];
}

function paint(text: string, column: number, row: Row | undefined, terminal: Terminal): string {
  if (column === 2) return terminal.style('yellow', text);
  return column === 3 && row?.sealed === 1 ? terminal.style('green', text) : text;
}
