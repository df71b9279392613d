/**
 * The part of Sandbank's published interface that is used here. Declared again, so that any of its provider objects
 * fits without a dependency. Providers have more members; none of them is needed.
 */
export interface SandbankProvider {
  readonly name: string;
  create(config: SandbankCreateConfig): Promise<SandbankSandbox>;
  /** Unknown ids are no error. */
  destroy(id: string): Promise<void>;
}

export interface SandbankCreateConfig {
  image?: string;
  region?: string;
  /** Processors, megabytes, gigabytes. */
  resources?: { cpu?: number; memory?: number; disk?: number };
  /** 0: never. */
  autoDestroyMinutes?: number;
  /** Seconds that the creation may take. */
  timeout?: number;
}

export interface SandbankSandbox {
  readonly id: string;
  /** A shell line. `timeout` in milliseconds. */
  exec(
    command: string,
    options?: { timeout?: number; cwd?: string },
  ): Promise<{ stdout: string; stderr: string; exitCode: number }>;
  writeFile(path: string, content: string | Uint8Array): Promise<void>;
  readFile(path: string): Promise<Uint8Array>;
}
