import type { BaxRows } from '@assay/protocol';
import { renderTable } from './render-table.ts';
import type { Terminal } from './terminal.ts';

/** A reason is a sentence, and many rows have the same: the table has its number, and below it stands whole. */
export function renderBaxList(rows: BaxRows['rows'], terminal: Terminal): string {
  const reasons = [
    ...Map.groupBy(
      rows.filter(({ why }) => why !== null),
      ({ why }) => why ?? '',
    ),
  ];
  const numbers = new Map(reasons.map(([why], index) => [why, index + 1]));
  const table = renderTable(
    [
      { title: 'scenario' },
      { title: 'framework' },
      { title: 'CWEs', shrink: true },
      { title: 'openapi', align: 'right' },
      { title: 'text', align: 'right' },
      { title: 'graded' },
    ],
    rows.map(({ scenario, framework, cwes, specSize, why }) => [
      scenario,
      framework,
      cwes.join(' '),
      String(specSize.openapi),
      String(specSize.text),
      why === null ? 'yes' : `no (${numbers.get(why)})`,
    ]),
    terminal,
    (text, column, index) =>
      column === 5 ? terminal.style(rows[index]?.gradable === true ? 'green' : 'dim', text) : text,
  );
  const legend = reasons
    .map(
      ([why, { length }], index) =>
        `(${index + 1}) ${terminal.foreign(why)}: ${length} ${length === 1 ? 'row' : 'rows'}\n`,
    )
    .join('');
  return `${table}${rows.filter((row) => row.gradable).length} of ${rows.length} rows can be graded here\n${legend}`;
}
