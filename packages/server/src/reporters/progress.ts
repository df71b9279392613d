import type { RunEvent } from '../engine-contract.ts';
import type { Terminal } from './terminal.ts';
import { createLiveProgress } from './live-progress.ts';
import { createPlainProgress } from './plain-progress.ts';

/** Shows what a command is doing while it does it. */
export interface Progress {
  onEvent(event: RunEvent): void;
  /** Takes down what is on the screen and gives the cursor back. May be called twice. */
  stop(): void;
}

/** Lines that are drawn over on a terminal, plain lines elsewhere. `write` goes to standard error. */
export function createProgress(terminal: Terminal, write: (text: string) => void): Progress {
  return terminal.live ? createLiveProgress(terminal, write) : createPlainProgress(terminal, write);
}
