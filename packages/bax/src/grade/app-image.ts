import type { ForkServerProgram, Mount } from '@assay/sandbox';

/** What fresh instances of one answer are made of: its files, built, over the layers of its framework. */
export interface AppImage {
  mounts: readonly Mount[];
  /** A directory that is the root tree in place of this machine's system. */
  root?: string;
  env: Readonly<Record<string, string>>;
  /** Shell line, run in /app. */
  startCommand: string;
  /**
   * What a process that instances are copied of has imported. Only with a start command of `python3`, a script and its
   * arguments.
   */
  preload?: ForkServerProgram;
}
