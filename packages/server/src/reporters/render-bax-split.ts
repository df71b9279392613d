import type { BaxSplit } from '@assay/protocol';
import { renderTable } from './render-table.ts';
import type { Terminal } from './terminal.ts';

export function renderBaxSplit(split: BaxSplit, terminal: Terminal): string {
  const sides = [
    ['train', split.train],
    ['eval', split.eval],
  ] as const;
  const table = renderTable(
    [{ title: 'side' }, { title: 'scenario' }, { title: 'framework' }],
    sides.flatMap(([side, rows]) => rows.map((row) => [side, row.scenario, row.framework])),
    terminal,
  );
  return `${table}${split.train.length} rows to train on, ${split.eval.length} to evaluate on\n`;
}
