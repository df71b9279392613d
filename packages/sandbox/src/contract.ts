import type { IsolationLevel, LimitsLevel } from '@assay/protocol/isolation';
import type { CaseOutcome, CaseRequest } from './run-tests/case-outcome.ts';

/**
 * One way of making sandboxes. The four required members are the published contract of the sandbox SDK; all else is
 * optional and grows on it.
 */
export interface SandboxProvider {
  /** Throws `PROVIDER_UNAVAILABLE` (never a weaker sandbox) when the machine cannot do what is asked. */
  create(options?: SandboxOptions): Promise<Sandbox>;
  /** Same as the sandbox's own `destroy`; unknown ids are ignored. */
  destroy(id: string): Promise<void>;
  /** The name users give with `--provider`: `bubblewrap`, `runc`, `runsc`. */
  readonly name?: string;
  readonly isolation?: IsolationLevel;
  readonly limits?: LimitsLevel;
  /** False: asking for a limit on memory, processes or disk is refused. Default true. */
  readonly takesLimits?: boolean;
  /** Takes `stdin` piece by piece and calls `onStdout`. */
  readonly interactive?: boolean;
  /** Its sandboxes have this machine's system, so that toolchains of this machine run in them once mounted. */
  readonly hostSystem?: boolean;
  /**
   * `shell`, the default: `exec` runs a shell line. `javascript`: `exec` runs a JavaScript program, `console.log` is
   * its standard output, and nothing else can be run.
   */
  readonly runs?: 'shell' | 'javascript';
  /** Takes `expose`. Others refuse it with `BAD_OPTION`. */
  readonly exposes?: boolean;
  /**
   * Starts a process that has imported modules, for the option `copy` of later execs. `options` has to match those of
   * the later sandboxes as far as the imports depend on them. Returns null where the provider has no fork servers on
   * this machine. Throws `SANDBOX_START_FAILED`.
   */
  openForkServer?(options: SandboxOptions, program: ForkServerProgram): Promise<ForkServer | null>;
  /** Returns one outcome for each case. Providers without it run test cases through `exec`. */
  runCases?(request: CaseRequest): Promise<CaseOutcome[]>;
}

/** The program of a fork server. Only Python so far. */
export interface ForkServerProgram {
  /** The interpreter, a path inside. */
  python: string;
  /** Imported in this order. Those that cannot be imported are left out. */
  modules: readonly string[];
}

/**
 * A process of which copies run in sandboxes. It holds nothing of any sandbox, and ends with the process that opened
 * it.
 */
export interface ForkServer {
  readonly alive: boolean;
  /** Modules that could not be imported, and why. */
  readonly failures: Readonly<Record<string, string>>;
  /** Ends it; copies run on. */
  close(): Promise<void>;
}

/**
 * One isolated place. Files live until `destroy`. Processes live no longer than the `exec` that started them: when it
 * returns, everything it started is dead, daemons included.
 */
export interface Sandbox {
  readonly id: string;
  /**
   * Makes parent directories. Relative paths start in the working directory. Runs inside, so links cannot lead it out.
   */
  writeFile(path: string, content: string | Uint8Array): Promise<void>;
  /**
   * Reads UTF-8 text. Rejects when the file does not exist or is larger than the output limit. Runs inside like
   * `writeFile`, as a command of its own: both work while another command runs, share its limits on memory and
   * processes, and follow links inside only.
   */
  readFile(path: string): Promise<string>;
  /** Like `readFile`, but returns bytes. Rejects when the path is no regular file. */
  readFileBytes?(path: string): Promise<Uint8Array>;
  /**
   * Returns the kind of what lies at a path, `null` when nothing does. A link at its end is not followed; links on the
   * way never lead outside.
   */
  kindOf?(path: string): Promise<'file' | 'directory' | 'link' | 'other' | null>;
  /**
   * Counts the bytes on disk at and below a path, as `du` does: files with two names once, holes not at all. It misses
   * what the user inside may not read, so code can hide files from it; `usage().diskBytes` counts those, too.
   * Rejects with `SANDBOX_FILE_FAILED` when nothing is there or counting takes longer than 10 s.
   */
  diskUsage?(path: string): Promise<number>;
  /** Measures from outside what the sandbox uses now. Costs a running command nothing. */
  usage?(): Promise<SandboxUsage>;
  /**
   * Tells whether something in a running exec listens on a TCP port, on any address, by the kernel's own tables. False
   * when nothing runs. With the seal `network` off the tables are the host's. Rejects with `BAD_OPTION` where the
   * provider cannot expose ports.
   */
  listens?(port: number): Promise<boolean>;
  /** Runs a shell line (`sh -c`), or `options.argv` without a shell. Never rejects because of what the command did. */
  exec(command: string, options?: ExecOptions): Promise<ExecResult>;
  /** Kills everything inside and removes every trace. May be called twice. */
  destroy(): Promise<void>;
  /**
   * Returns the path at which the host can read a directory of the sandbox while no exec is running. A running command
   * could put a link in place of a directory between two steps of the host: then use `readFile` and its like, which act
   * inside. The tree is hostile: read it without following links. Only stage-based providers have it.
   */
  hostView?(path: string): string;
  /**
   * The owner to give to files that the host writes through `hostView`, so that they belong to the user inside.
   * `null`: the caller has that user's id already.
   */
  readonly hostOwner?: { uid: number; gid: number } | null;
  /**
   * Copies a directory of the sandbox into a new directory of the host, special files left out, links kept as links.
   */
  exportDirectory?(path: string, hostDirectory: string): Promise<void>;
}

export interface SandboxOptions {
  image?: string;
  /**
   * A directory of the host that holds a whole system (at least `/bin/sh` and `/usr/bin/env` of coreutils), in place of
   * this machine's. It does not change: writes go to a private layer. /etc/passwd, /etc/hosts and the like are the
   * sandbox's own; root's files in it are read-only. Lanes need a tree in which this machine's Node runs.
   */
  root?: string;
  /** Default time limit of an exec, in milliseconds. Default 120 000. */
  timeout?: number;
  mounts?: Mount[];
  /** The complete environment; nothing is inherited. PATH, HOME, LANG and TMPDIR have neutral defaults. */
  env?: Record<string, string>;
  /** Working directory of every exec. Default `/workspace`, which always exists and is writable. */
  cwd?: string;
  network?: Network;
  limits?: Limits;
  /**
   * The user inside whom commands run as. `root` is id 0 of the sandbox's own user namespace: it has no capabilities,
   * and may write everywhere in the root tree except /usr and /etc. Default `user`. Only stage-based providers take
   * `root`.
   */
  user?: 'user' | 'root';
  /** Host name inside. Default `sandbox`. */
  hostname?: string;
  /** Seals taken off for a positive control. Every provider refuses a name that it does not know. */
  unsealed?: ReadonlyArray<'network' | 'host-files' | 'privileges' | 'limits'>;
  /** The fork server for the option `copy` of execs. Sandbox and server then run as one user of the host. */
  copiesOf?: ForkServer;
  signal?: AbortSignal;
}

/** Order matters: a later mount may lie inside an earlier one. Targets are absolute and made when missing. */
export type Mount =
  /** A file or directory of the host, read-only. */
  | { kind: 'read-only'; source: string; target: string }
  /**
   * Directories of the host, topmost first, under a private writable layer that dies with the sandbox. `[]` is an empty
   * directory.
   */
  | { kind: 'layers'; sources: string[]; target: string; deleted?: string[] }
  /** A directory of the host, writable. For trusted builds and positive controls only. */
  | { kind: 'writable'; source: string; target: string }
  /** An empty read-only directory over a path that must not be seen. */
  | { kind: 'hidden'; target: string };

/**
 * `none`: loopback only. `lanes`: loopback, plus `127.0.0.1:port` relayed to a Unix socket of the host. `host`: only
 * with the seal `network` off.
 */
export type Network = { kind: 'none' } | { kind: 'lanes'; lanes: Lane[] } | { kind: 'host' };
export interface Lane {
  port: number;
  socket: string;
}

export interface Limits {
  /** Memory of the whole process tree. Default 2 GiB. */
  memoryBytes?: number;
  /** Processes and threads of the whole tree. Default 512. */
  pids?: number;
  /** Everything that the sandbox may write, /tmp and HOME included. Default 1 GiB. */
  diskBytes?: number;
  /** Applies to stdout and stderr separately. The rest is dropped, and `truncated` is set. Default 16 MiB. */
  outputBytes?: number;
}

export interface ExecOptions {
  /** Milliseconds. When they are over the whole tree is killed, and `exitCode` is 124. */
  timeout?: number;
  /** Instead of the shell line, which is then ignored. */
  argv?: string[];
  cwd?: string;
  /** Added to the sandbox's environment. */
  env?: Record<string, string>;
  /**
   * Written to standard input, which is then closed. Default: empty. Pieces of an iterable are written as they come, so
   * that a caller can wait for an answer before it gives the next: only with providers that are `interactive`.
   */
  stdin?: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  /**
   * Standard output as it comes, cut anywhere but within a character. It is also in the result, up to the limit.
   * Interactive providers only.
   */
  onStdout?: (text: string) => void;
  /**
   * Runs a script of the sandbox in a copy of a fork server instead of the command: with the same privileges, limits,
   * files, network, environment and arguments as the command, but without the time for the imports. The command runs
   * after all when the script's directory has a file with the name of an imported module, or when the server fails.
   * Ignored with `argv`, `stdin` or an open seal.
   */
  copy?: { of: ForkServer; script: string; args?: readonly string[] };
  /**
   * Ways from the host into the network of this exec, while it runs. Refused with `BAD_OPTION` by providers that
   * cannot, when the seal `network` is off, and when the socket cannot be made.
   */
  expose?: Exposure[];
  signal?: AbortSignal;
}

/**
 * Connections to the Unix socket `socket` of the host are carried to `127.0.0.1:port`, else `[::1]:port`, in the
 * network of the exec. The provider makes the socket, for this user alone, in a directory that exists; it is there
 * before the command starts and gone when `exec` returns. Bytes, order and half-closed connections are kept; when
 * nothing listens inside, the connection is closed at once.
 */
export interface Exposure {
  port: number;
  socket: string;
  /** Replaces 127.0.0.1 and ::1. 127.0.0.2 reaches only what listens on every address, like another machine would. */
  address?: string;
  /** How long, in milliseconds, connections wait for something to listen, until the first one succeeded. Default 0. */
  patienceMs?: number;
}

export interface SandboxUsage {
  /**
   * Memory without the page cache of files on disk: anonymous memory, shared memory (which includes the sandbox's own
   * files), and the kernel's.
   */
  memoryBytes: number;
  /** Everything that counts towards the limit, page cache included. */
  memoryUsageBytes: number;
  /** The highest `memoryUsageBytes` so far. `null` where the kernel does not keep it. */
  peakMemoryBytes: number | null;
  /**
   * Processes of the running execs, without process 1 of each. `null` where they are not processes of the host
   * (gVisor).
   */
  processes: number | null;
  /** Everything that the sandbox has written and not deleted. The limit on disk counts the same. */
  diskBytes: number;
  /**
   * True when the memory figures are the control group's. Otherwise they are sums over the processes, which count
   * shared memory twice.
   */
  exact: boolean;
}

export interface ExecResult {
  stdout: string;
  stderr: string;
  /** 128 + n after signal n; 124 after a time-out; 137 when memory ran out. */
  exitCode: number;
  timedOut?: boolean;
  /** stdout or stderr went over the output limit. */
  truncated?: boolean;
  /** The kernel killed something inside because memory ran out. */
  outOfMemory?: boolean;
  durationMs?: number;
}
