/** An image to be built. Apart from what knows dockerode, so that the types of the provider need no package. */
export interface DockerBuild {
  /** A directory of this machine that is sent to the daemon. */
  context: string;
  /** Relative to `context`. Default `Dockerfile`. */
  dockerfile?: string | undefined;
  /**
   * `none`, the default: its RUN lines have no network. `default`: that of the daemon. Fetching the FROM image is the
   * daemon's own doing.
   */
  network?: 'none' | 'default' | undefined;
}
