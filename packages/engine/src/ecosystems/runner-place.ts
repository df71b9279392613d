/** Where a runner finds its files and the repository. */
export interface RunnerPlace {
  /** The repository. */
  root: string;
  /** Where the runner's directory is mounted; null: nowhere, it is used where it lies on the host. */
  runner: string | null;
}

export const RUNNER_IN_SANDBOX: RunnerPlace = { root: '/workspace', runner: '/opt/assay/runner' };
