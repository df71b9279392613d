import type { Mount, SandboxProvider } from '../contract.ts';
import type { CaseRequest } from '../run-tests/case-outcome.ts';

/**
 * How submissions in one language are run as processes. A *driver* of ours in that language loads the submission once,
 * and is given one case after the other; see `run-tests/driver-protocol.ts`.
 */
export interface ProcessLanguage {
  /**
   * Everything that a submission needs to be run. With a provider that has `hostSystem` the toolchain is this
   * machine's, else the commands must be on the PATH inside. Throws `PROVIDER_UNAVAILABLE` when this machine lacks it.
   */
  plan(request: CaseRequest, provider: SandboxProvider): Promise<RunPlan | Refusal>;
}

/** Why the submission cannot be run, in one line. Its own fault: every case has failed. */
export interface Refusal {
  refused: string;
}

export interface RunPlan {
  sandbox: ToolSandbox;
  /** Makes the program that `argv` starts. */
  build?: BuildPlan;
  /** Starts the driver. */
  argv: string[];
  /** The first message to the driver. */
  greeting: Record<string, unknown>;
  /**
   * The driver says its first word before any code of the submission runs: when it does not, the submission is not to
   * blame.
   */
  driverFirst: boolean;
  /**
   * Addresses that its runtime reserves without using them. Added to the memory limit where that counts what a process
   * reserves (`limits: 'partial'`).
   */
  reservedBytes?: number;
  /** The program to install inside when `argv` cannot be run. */
  install: string;
  /** When the driver says that the source does not parse. */
  secondAttempt?: () => Promise<RunPlan | Refusal>;
}

/** Options of a sandbox that bring a toolchain. */
export interface ToolSandbox {
  mounts: Mount[];
  env: Record<string, string>;
}

/** Runs in a sandbox of its own, which is wider than that of the cases. */
export interface BuildPlan {
  sandbox: ToolSandbox;
  memoryBytes: number;
  /** By path below the working directory. */
  files: Record<string, string>;
  argv: string[];
  /** The executable that it leaves. It is copied to the same path in the sandbox of the cases. */
  program: string;
  /** The first error, in one line. */
  explain(output: string): string;
}
