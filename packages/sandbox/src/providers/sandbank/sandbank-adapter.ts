import { AssayError } from '@assay/protocol/errors';
import type { IsolationLevel, LimitsLevel } from '@assay/protocol/isolation';
import type { Sandbox, SandboxOptions, SandboxProvider } from '../../contract.ts';
import { interrupted } from '../../process/supervise.ts';
import { resolveOptions } from '../../resolve-options.ts';
import { SandbankSandboxAdapter } from './sandbank-sandbox.ts';
import type { SandbankCreateConfig, SandbankProvider } from './sandbank-types.ts';

export interface SandbankAdapterOptions {
  /**
   * The isolation that you know the provider to have. Default `none`: Sandbank's interface does not say how sandboxes
   * are isolated, and Assay claims nothing that it does not know.
   */
  isolation?: IsolationLevel;
  /** For sandboxes that name none. */
  image?: string;
  /** Given to every creation. `autoDestroyMinutes` ends what a killed process could not destroy. */
  create?: Omit<SandbankCreateConfig, 'image'>;
}

/**
 * Any provider object of Sandbank as one of ours. Exact environment, arguments, standard input, time limits and output
 * limits are ours; the sandbox needs a POSIX shell, coreutils and setsid.
 *
 * It lacks what Sandbank's interface cannot ask for: network policy (the sandbox has whatever network its provider
 * gives), limits on memory, processes and disk, mounts, lanes, seals, a host name, interactive exec. Asking for one of
 * them throws `BAD_OPTION`. A process that leaves its session lives until the sandbox is destroyed.
 */
export class SandbankAdapter implements SandboxProvider {
  readonly name: string;
  readonly isolation: IsolationLevel;
  readonly limits: LimitsLevel = 'partial';
  readonly takesLimits = false;
  readonly interactive = false;
  readonly #provider: SandbankProvider;
  readonly #options: SandbankAdapterOptions;
  readonly #sandboxes = new Map<string, Sandbox>();

  constructor(provider: SandbankProvider, options: SandbankAdapterOptions = {}) {
    this.#provider = provider;
    this.#options = options;
    this.name = `sandbank:${provider.name}`;
    this.isolation = options.isolation ?? 'none';
  }

  /**
   * Throws `BAD_OPTION`, `UNKNOWN_SEAL`, `PROVIDER_UNAVAILABLE` (the image lacks something), `SANDBOX_START_FAILED`,
   * `INTERRUPTED`.
   */
  async create(options: SandboxOptions = {}): Promise<Sandbox> {
    const { signal } = options;
    if (signal?.aborted) throw interrupted(signal);
    const resolved = resolveOptions(options);
    this.#refuse(options);
    const image = options.image ?? this.#options.image;
    const inner = await this.#createInner({ ...this.#options.create, ...(image === undefined ? {} : { image }) });
    const sandbox = new SandbankSandboxAdapter(inner, this.#provider, resolved, () => this.#sandboxes.delete(inner.id));
    try {
      await sandbox.setUp();
      if (signal?.aborted) throw interrupted(signal);
    } catch (error) {
      await sandbox.destroy().catch(() => undefined);
      throw error;
    }
    this.#sandboxes.set(inner.id, sandbox);
    // Whoever destroys it later learns what went wrong.
    signal?.addEventListener('abort', () => void sandbox.destroy().catch(() => undefined), { once: true });
    return sandbox;
  }

  async destroy(id: string): Promise<void> {
    await this.#sandboxes.get(id)?.destroy();
  }

  async #createInner(config: SandbankCreateConfig): ReturnType<SandbankProvider['create']> {
    try {
      return await this.#provider.create(config);
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      throw new AssayError('SANDBOX_START_FAILED', { provider: this.name, detail }, { cause: error });
    }
  }

  #refuse({ mounts = [], network, limits = {}, hostname, root, user, unsealed = [] }: SandboxOptions): void {
    const asked: Record<string, boolean> = {
      mounts: mounts.length > 0,
      network: network !== undefined,
      'limits.memoryBytes': limits.memoryBytes !== undefined,
      'limits.pids': limits.pids !== undefined,
      'limits.diskBytes': limits.diskBytes !== undefined,
      hostname: hostname !== undefined,
      root: root !== undefined,
      user: user === 'root',
      unsealed: unsealed.length > 0,
    };
    const option = Object.keys(asked).find((name) => asked[name]);
    if (option !== undefined)
      throw new AssayError('BAD_OPTION', {
        option,
        detail: `the provider ${this.name} cannot be asked for it: Sandbank's interface has no such thing`,
      });
  }
}
