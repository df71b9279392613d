import type { ExecOptions, ForkServer, SandboxProvider } from '@assay/sandbox';
import type { AppImage } from './app-image.ts';

/** How often the server of a framework is started anew after it ended. */
const STARTS = 3;

interface Kept {
  server: ForkServer | null;
  starts: number;
}

/**
 * Processes that have imported the packages of a framework, of which instances of its answers are copied. They know
 * nothing of any answer, so one of a framework does for all that are graded at the same time.
 */
export class ForkServers {
  readonly #provider: SandboxProvider;
  readonly #kept = new Map<string, Promise<Kept>>();

  constructor(provider: SandboxProvider) {
    this.#provider = provider;
  }

  /**
   * Returns the options that start an instance of an image as a copy; none where it is a new process. A framework's
   * first call waits for its imports. Never rejects.
   */
  async copyFor(image: AppImage): Promise<Pick<ExecOptions, 'copy'>> {
    const [program, script, ...args] = image.startCommand.split(' ');
    if (!image.preload || program !== 'python3' || script === undefined) return {};
    const server = await this.#serverFor(image, image.preload);
    return server ? { copy: { of: server, script, args } } : {};
  }

  /** Ends them; instances run on. */
  async close(): Promise<void> {
    for (const kept of this.#kept.values()) await (await kept).server?.close();
    this.#kept.clear();
  }

  async #serverFor(
    { mounts, env, root }: AppImage,
    preload: NonNullable<AppImage['preload']>,
  ): Promise<ForkServer | null> {
    const options = {
      user: 'root' as const,
      env: { ...env },
      mounts: mounts.filter(({ target }) => target !== '/app'),
      root,
    };
    const key = JSON.stringify([options, preload]);
    const start = async (starts: number): Promise<Kept> => ({
      server: (await this.#provider.openForkServer?.(options, preload).catch(() => null)) ?? null,
      starts,
    });
    const known = this.#kept.get(key) ?? start(1);
    this.#kept.set(key, known);
    const { server, starts } = await known;
    if (server === null || server.alive || starts === STARTS) return server;
    // Whoever waited beside this call finds what the first of them put there.
    if (this.#kept.get(key) === known) this.#kept.set(key, start(starts + 1));
    return (await this.#kept.get(key))?.server ?? null;
  }
}
