import { createLiveProgress } from './live-progress.ts';
import { createPlainProgress } from './plain-progress.ts';
import type { Progress } from './progress.ts';
import type { Terminal } from './terminal.ts';

/** Lines that are drawn over on a terminal, plain lines elsewhere. `write` goes to standard error. */
export function createProgress(terminal: Terminal, write: (text: string) => void): Progress {
  return terminal.live ? createLiveProgress(terminal, write) : createPlainProgress(terminal, write);
}
