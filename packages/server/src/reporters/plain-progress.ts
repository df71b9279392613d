import type { ProgressEvent } from '@assay/protocol';
import { formatDuration } from './format-duration.ts';
import type { Progress } from './progress.ts';
import { estimateRemainingTime } from './remaining-time.ts';
import type { Terminal } from './terminal.ts';

const HEARTBEAT_MS = 30_000;

/** A line for each note and each item that ended; every half minute of silence, what is running. For logs and pipes. */
export function createPlainProgress(terminal: Terminal, write: (text: string) => void): Progress {
  const running = new Map<string, { startedAt: number; text: string }>();
  const remaining = estimateRemainingTime();
  const left = (): string => (remaining.text() === '' ? '' : `, ${remaining.text()}`);
  let lastLineAt = performance.now();
  const line = (text: string): void => {
    lastLineAt = performance.now();
    write(`${text}\n`);
  };
  const heartbeat = setInterval(() => {
    if (running.size === 0 || performance.now() - lastLineAt < HEARTBEAT_MS) return;
    const [first] = running;
    if (first === undefined) return;
    const [item, { startedAt, text }] = first;
    const others = running.size > 1 ? ` and ${running.size - 1} more` : '';
    const time = formatDuration(performance.now() - startedAt);
    line(`still running: ${item}${text ? ` (${text})` : ''}, ${time}${others}${left()}`);
  }, HEARTBEAT_MS / 3);
  heartbeat.unref();

  return {
    onEvent(event) {
      remaining.onEvent(event);
      const item = terminal.foreign(event.item);
      const text = terminal.foreign(event.text ?? '');
      if (event.type === 'note') line(item ? `${item}: ${text}` : text);
      else if (event.type === 'item-end') {
        const startedAt = running.get(item)?.startedAt;
        running.delete(item);
        const time = startedAt === undefined ? '' : `  ${formatDuration(performance.now() - startedAt)}`;
        line(`${counter(event)}${mark(event)} ${item}${text ? `  ${text}` : ''}${time}${left()}`);
      } else running.set(item, { startedAt: running.get(item)?.startedAt ?? performance.now(), text });
    },
    stop: () => clearInterval(heartbeat),
  };
}

function counter({ done, total }: ProgressEvent): string {
  if (done === undefined) return '';
  return total === undefined ? `[${done}] ` : `[${done}/${total}] `;
}

function mark({ ok }: ProgressEvent): string {
  return ok === undefined ? '-' : ok ? 'ok' : 'no';
}
