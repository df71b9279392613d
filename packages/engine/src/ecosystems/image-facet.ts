/**
 * How a task's images for Harbor are made from the bundle's files alone, and the program that grades in the verifier's
 * image.
 */
export interface ImageFacet {
  /** Returns the base image for an interpreter version; null when the text is not a version. */
  base(interpreter: string): string | null;
  /**
   * Dockerfile lines that install the contents of `/tmp/environment`. The files are vendored: nothing is fetched, and
   * nothing of the repository runs.
   */
  readonly install: readonly string[];
  /** Whether the environment lies in the workspace. If so, the grader unpacks it into the tree that it makes. */
  readonly inWorkspace: boolean;
  /** Dockerfile lines that set the variables of the environment. */
  readonly variables: readonly string[];
  /** The program that grades, as root. It lies in `/tests` under its own name. */
  readonly grader: { file: URL; command: string };
  /** The directory of the runner's programs; it lies at `/opt/runner`. */
  readonly runner: URL;
}
