import type { ListedRow } from '@assay/bax/list-rows';
import { renderTable } from './render-table.ts';
import type { Terminal } from './terminal.ts';

export function renderBaxList(rows: readonly ListedRow[], terminal: Terminal): string {
  const table = renderTable(
    [{ title: 'scenario' }, { title: 'framework' }, { title: 'CWEs' }, { title: 'openapi', align: 'right' }, { title: 'text', align: 'right' }, { title: 'graded here', shrink: true }],
    rows.map((row) => [row.scenario, row.framework, row.cwes.join(' '), String(row.specSize.openapi), String(row.specSize.text), terminal.foreign(row.why ?? 'yes')]),
    terminal,
    (text, column, index) => (column === 5 ? terminal.style(rows[index]?.gradable === true ? 'green' : 'dim', text) : text),
  );
  return `${table}${rows.filter((row) => row.gradable).length} of ${rows.length} rows can be graded here\n`;
}
