/** How a task's images are made for Harbor, from the bundle's files alone, and what grades in the verifier's. */
export interface ImageFacet {
  /** The base image for an interpreter's version; null when the text is no version. */
  base(interpreter: string): string | null;
  /**
   * Lines of a Dockerfile that install what lies in `/tmp/environment`. Vendored files only: nothing is fetched, and
   * nothing of the repository runs.
   */
  readonly install: readonly string[];
  /** Whether the environment lies in the workspace. There the grader unpacks it itself, into the tree that it makes. */
  readonly inWorkspace: boolean;
  /** Lines of a Dockerfile that set the variables of the environment. */
  readonly variables: readonly string[];
  /** The program that grades as root. It lies in `/tests` under its own name. */
  readonly grader: { file: URL; command: string };
  /** The directory of the runner's programs, which lies at `/opt/runner`. */
  readonly runner: URL;
}
