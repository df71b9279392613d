import type { Owner } from '../owner.ts';
import type { ResolvedOptions } from '../resolve-options.ts';
import type { Stage } from '../stage/stage.ts';

/** One command to be run inside. */
export interface ExecRequest {
  argv: string[];
  cwd: string;
  /** Complete. */
  env: Record<string, string>;
  /**
   * A copy of a fork server comes in place of the command, which is the one for where there is none. Only for runners
   * that `takesCopies`.
   */
  copy?: boolean;
}

/** A command of the host that runs an {@link ExecRequest} in a stage, and how to read its end. */
export interface PreparedExec {
  argv: string[];
  /** Inherited as 3, 4, 5… Closed by `dispose`. */
  fds: number[];
  /**
   * A process of the host in the namespaces of the exec, `null` while there is none. Only of runners with
   * `hostNamespaces`.
   */
  insidePid?: () => number | null;
  /** With `copy`: the place in the sandbox is there, and can be joined through `insidePid`. */
  ready?: () => boolean;
  /** Kills what the process group and the cgroup do not reach. */
  kill?: () => void;
  /** Called when all is dead. */
  outcome(end: { exitCode: number | null; stderr: string }): ExecOutcome;
  dispose(): void | Promise<void>;
}

/**
 * `ended`: the command ran and ended. `not-started`: the sandbox works but the command cannot be run (127, 126).
 * `broken`: no sandbox.
 */
export type ExecOutcome =
  | { kind: 'ended'; exitCode: number }
  | { kind: 'not-started'; exitCode: number; message: string }
  | { kind: 'broken'; message: string };

/** Puts commands into a stage. Providers differ in nothing else. */
export interface ProcessRunner {
  readonly name: string;
  /** Puts the command into the leaf itself, by `cgroupPath`. Else the host command as a whole runs in the leaf. */
  readonly managesCgroup: boolean;
  /** A process inside is a process of the host, and the network inside is a namespace of the host's kernel. */
  readonly hostNamespaces: boolean;
  /** Copies of a fork server can join what it runs. */
  readonly takesCopies?: boolean;
  /** The filter for the system calls of commands, as an array of `struct sock_filter`. */
  readonly seccompFilter?: Buffer | null;
  /** How many processes and threads of the host `pids` of them inside may take, this provider's own included. */
  hostTasks(pids: number): number;
  /**
   * Returns the lines of a uid map for a user namespace that is made before the first exec, as the user of the sandbox:
   * so the kernel counts what is used in it for that user. Without it the runner makes its namespaces as that user.
   */
  userMap?(options: ResolvedOptions, owner: Owner): string;
  prepare(request: ExecRequest, context: RunnerContext): PreparedExec;
}

export interface RunnerContext {
  id: string;
  stage: Stage;
  options: ResolvedOptions;
  /** A private directory of the host for this sandbox. */
  directory: string;
  /** The directory that becomes /dev/pts, as a path inside the holder's mount namespace. */
  terminals: string;
  /** The leaf of this exec, below the mount point of each hierarchy. */
  cgroupPath: string | undefined;
}
