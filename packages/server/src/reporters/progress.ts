import type { ProgressEvent } from '@assay/protocol';

/** Shows what a command is doing while it does it. */
export interface Progress {
  onEvent(event: ProgressEvent): void;
  /** Takes down what is on the screen and gives the cursor back. May be called twice. */
  stop(): void;
}
