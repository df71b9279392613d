import type { ForkServerProgram, Mount } from '@assay/sandbox';

/** The parts of a fresh instance of one answer: its built files over the layers of its framework. */
export interface AppImage {
  mounts: readonly Mount[];
  /** A directory that is the root tree in place of this machine's system. */
  root?: string;
  env: Readonly<Record<string, string>>;
  /** Shell line, run in /app. */
  startCommand: string;
  /**
   * Modules that the process from which instances are copied has imported. Needs a start command of `python3`, a script
   * and its arguments.
   */
  preload?: ForkServerProgram;
}
