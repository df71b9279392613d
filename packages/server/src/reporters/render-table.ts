import type { Terminal } from './terminal.ts';
import { padText, textWidth, truncateText } from './text-width.ts';

export interface Column {
  title: string;
  align?: 'left' | 'right';
  /** May be cut short when the table is wider than the terminal. Without one, the widest column is. */
  shrink?: true;
}

const GAP = '  ';
const LEAST_WIDTH = 6;

/**
 * A table without borders, as wide as it needs and at most as wide as the terminal. Cells are plain text, already
 * harmless; `paint` colours a cell after it was measured. Ends with a line feed.
 */
export function renderTable(
  columns: readonly Column[],
  rows: ReadonlyArray<readonly string[]>,
  terminal: Terminal,
  paint: (text: string, column: number, row: number) => string = (text) => text,
): string {
  const widths = columns.map((column, index) =>
    Math.max(textWidth(column.title), ...rows.map((row) => textWidth(row[index] ?? ''))),
  );
  shrinkToFit(widths, columns, terminal.columns - GAP.length * (columns.length - 1));
  const line = (cells: readonly string[], painted: (text: string, column: number) => string): string =>
    columns
      .map(({ align = 'left' }, index) => {
        const width = widths[index] ?? 0;
        const text = truncateText(cells[index] ?? '', width);
        const padded = padText(text, width, align);
        return padded.replace(text, () => painted(text, index));
      })
      .join(GAP)
      .trimEnd();
  const head = line(
    columns.map(({ title }) => title),
    (text) => terminal.style('bold', text),
  );
  const body = rows.map((row, rowIndex) => line(row, (text, column) => paint(text, column, rowIndex)));
  return `${[head, ...body].join('\n')}\n`;
}

/** Takes columns from whichever column that may shrink is widest, until the sum fits or nothing more can give. */
function shrinkToFit(widths: number[], columns: readonly Column[], room: number): void {
  const anyShrinks = columns.some((column) => column.shrink);
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  while (excess > 0) {
    let widest = -1;
    for (const [index, width] of widths.entries()) {
      if (anyShrinks && !columns[index]?.shrink) continue;
      if (width > LEAST_WIDTH && width > (widths[widest] ?? 0)) widest = index;
    }
    if (widest === -1) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
}
