import { constants } from 'node:os';

export interface Interruptible {
  signal: AbortSignal;
  /** 128 + n once signal n has come, else null. */
  readonly exitCode: number | null;
  stop(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Turns the first Ctrl-C, SIGTERM or SIGHUP into an abort, so that work can clean up. The second ends the process on
 * the spot. A reader of standard error that goes away (`assay … 2>&1 | head`) counts as the first of them.
 */
export function interruptible(onFirst: () => void): Interruptible {
  const controller = new AbortController();
  let exitCode: number | null = null;
  const onSignal = (name: NodeJS.Signals): void => {
    if (exitCode !== null) process.exit(exitCode);
    exitCode = 128 + constants.signals[name];
    onFirst();
    controller.abort(new DOMException(`${name} received`, 'AbortError'));
  };
  const onError = ({ code }: NodeJS.ErrnoException): void => {
    if (code === 'EPIPE' && exitCode === null) onSignal('SIGPIPE');
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  process.stderr.on('error', onError);
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    stop() {
      for (const name of SIGNALS) process.removeListener(name, onSignal);
      process.stderr.removeListener('error', onError);
    },
  };
}
