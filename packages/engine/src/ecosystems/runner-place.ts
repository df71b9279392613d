/** Where a runner finds its own files and the repository. */
export interface RunnerPlace {
  /** The repository. */
  root: string;
  /** Mount point of the runner's directory; null when it is used in place on the host. */
  runner: string | null;
}

export const RUNNER_IN_SANDBOX: RunnerPlace = { root: '/workspace', runner: '/opt/assay/runner' };
