import { formatDuration } from './format-duration.ts';
import type { Progress } from './progress.ts';
import { estimateRemainingTime, type RemainingTime } from './remaining-time.ts';
import type { Terminal } from './terminal.ts';
import { padText, truncateText } from './text-width.ts';

const REDRAW_MS = 100;
const MOST_ROWS = 12;
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';

interface Running {
  startedAt: number;
  text: string;
}

/** A counter and one line for each running item, drawn over at most ten times a second. Notes scroll by above. */
export function createLiveProgress(terminal: Terminal, write: (text: string) => void): Progress {
  const startedAt = performance.now();
  const running = new Map<string, Running>();
  const count = { done: 0, total: undefined as number | undefined, no: 0 };
  const remaining = estimateRemainingTime();
  let notes: string[] = [];
  let drawnRows = 0;
  let timer: NodeJS.Timeout | undefined;

  const draw = (): void => {
    const head = headLine({ count, running: running.size, startedAt, remaining }, terminal);
    const rows = [head, ...itemLines(running, terminal)];
    const above = notes.map((note) => `${note}\n`).join('');
    notes = [];
    write(`${drawnRows === 0 ? HIDE_CURSOR : ''}${erase(drawnRows)}${above}${rows.map((row) => `${row}\n`).join('')}`);
    drawnRows = rows.length;
  };
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
    process.removeListener('exit', stop);
    if (drawnRows === 0 && notes.length === 0) return;
    write(`${erase(drawnRows)}${notes.map((note) => `${note}\n`).join('')}${SHOW_CURSOR}`);
    drawnRows = 0;
    notes = [];
  };

  return {
    onEvent(event) {
      if (timer === undefined) {
        timer = setInterval(draw, REDRAW_MS);
        timer.unref();
        process.once('exit', stop);
      }
      remaining.onEvent(event);
      const item = terminal.foreign(event.item);
      const text = terminal.foreign(event.text ?? '');
      if (event.total !== undefined) count.total = event.total;
      // Items of the preparation do not count among those of the work.
      if (event.done !== undefined) count.done = event.done;
      if (event.type === 'note') notes.push(item ? `${item}: ${text}` : text);
      else if (event.type === 'item-end') {
        running.delete(item);
        if (event.done === undefined) count.done += 1;
        if (event.ok === false) count.no += 1;
      } else {
        running.set(item, {
          startedAt: running.get(item)?.startedAt ?? performance.now(),
          text: text || (running.get(item)?.text ?? ''),
        });
      }
    },
    stop,
  };
}

/** Back to the first drawn row, and clear from there on. */
function erase(rows: number): string {
  return rows === 0 ? '' : `\u001b[${rows}A\r\u001b[J`;
}

interface Progressed {
  count: { done: number; total: number | undefined; no: number };
  running: number;
  startedAt: number;
  remaining: RemainingTime;
}

function headLine({ count, running, startedAt, remaining }: Progressed, terminal: Terminal): string {
  const done = count.total === undefined ? `${count.done} done` : `${count.done}/${count.total} done`;
  const parts = [
    done,
    ...(count.no > 0 ? [`${count.no} no`] : []),
    `${running} running`,
    formatDuration(performance.now() - startedAt),
    remaining.text(),
  ].filter((part) => part !== '');
  return terminal.style('bold', truncateText(parts.join(' · '), terminal.columns - 1));
}

function itemLines(running: Map<string, Running>, terminal: Terminal): string[] {
  const now = performance.now();
  const rows = [...running].slice(0, MOST_ROWS).map(([item, { startedAt, text }]) => {
    const time = padText(formatDuration(now - startedAt), 11, 'right');
    return truncateText(`${time}  ${item}${text ? `  ${text}` : ''}`, terminal.columns - 1);
  });
  if (running.size > MOST_ROWS)
    rows.push(truncateText(`${' '.repeat(13)}and ${running.size - MOST_ROWS} more`, terminal.columns - 1));
  return rows;
}
