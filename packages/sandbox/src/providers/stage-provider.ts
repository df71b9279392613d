import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol/errors';
import type { IsolationLevel, LimitsLevel } from '@assay/protocol/isolation';
import type { ForkServer, ForkServerProgram, Sandbox, SandboxOptions, SandboxProvider } from '../contract.ts';
import { CopyServer, FORK_SERVER } from '../fork-server/copy-server.ts';
import { limitsHere } from '../limits/limits-here.ts';
import { SandboxCgroup } from '../limits/sandbox-cgroup.ts';
import { sandboxOwner } from '../owner.ts';
import { interrupted } from '../process/supervise.ts';
import { resolveOptions, type ResolvedOptions } from '../resolve-options.ts';
import { newSandboxId, ownerDirectory, ownerIdentity } from '../runtime/runtime-directory.ts';
import { SandboxUser } from '../runtime/sandbox-user.ts';
import { sweepOnce } from '../runtime/sweep-stale.ts';
import { Stage } from '../stage/stage.ts';
import type { ProcessRunner } from './process-runner.ts';
import { requireLinux } from './require-linux.ts';
import { StageSandbox } from './stage-sandbox.ts';

/** The holder's message for a file system that cannot show files as another user's. */
const CANNOT_MAP = 'map the owners of';

/** Makes sandboxes out of a stage, a control group and one way of running commands. */
export class StageProvider implements SandboxProvider {
  readonly name: string;
  readonly isolation: IsolationLevel;
  readonly interactive = true;
  readonly hostSystem = true;
  readonly exposes: boolean;
  readonly #runner: ProcessRunner;
  readonly #rootless = process.getuid?.() !== 0;
  readonly #sandboxes = new Map<string, Sandbox>();
  #ownUsers = true;

  constructor(runner: ProcessRunner, isolation: IsolationLevel) {
    this.#runner = runner;
    this.name = runner.name;
    this.isolation = isolation;
    this.exposes = runner.hostNamespaces;
  }

  /** `partial` also where sandboxes have to run as one user, whose limits they share. */
  get limits(): LimitsLevel {
    return this.#ownUsers ? limitsHere() : 'partial';
  }

  async create(options: SandboxOptions = {}): Promise<Sandbox> {
    return await this.#create(options);
  }

  async openForkServer(options: SandboxOptions, program: ForkServerProgram): Promise<ForkServer | null> {
    const sandbox = await this.#create({
      ...options,
      mounts: [...(options.mounts ?? []), { kind: 'read-only', ...FORK_SERVER }],
    });
    try {
      const server = await sandbox.openForkServer(program);
      if (!server) await sandbox.destroy();
      return server;
    } catch (error) {
      await sandbox.destroy();
      throw error;
    }
  }

  async #create(options: SandboxOptions): Promise<StageSandbox> {
    requireLinux(this.name);
    if (options.signal?.aborted) throw interrupted(options.signal);
    const resolved = resolveOptions(options);
    await sweepOnce();
    const sandbox = await this.#buildWithUser(options, resolved);
    if (options.signal) await destroyOnAbort(sandbox, options.signal);
    return sandbox;
  }

  async #buildWithUser(options: SandboxOptions, resolved: ResolvedOptions): Promise<StageSandbox> {
    const user = this.#takeUser(options);
    try {
      return await this.#build(resolved, user);
    } catch (error) {
      user?.release();
      if (!user || !cannotMapOwners(error)) throw error;
      this.#ownUsers = false;
      return await this.#build(resolved, null);
    }
  }

  /** Null where sandboxes run as the common owner: rootless, and where a file system cannot show files as another's. */
  #takeUser({ copiesOf }: SandboxOptions): SandboxUser | null {
    if (!this.#ownUsers) return null;
    return copiesOf instanceof CopyServer && copiesOf.alive ? copiesOf.shareUser() : SandboxUser.take();
  }

  async #build(resolved: ResolvedOptions, user: SandboxUser | null): Promise<StageSandbox> {
    const id = newSandboxId();
    const directory = join(ownerDirectory(), id);
    mkdirSync(directory, { mode: 0o711 });
    const cgroup = this.#makeCgroup(id, resolved);
    const owner = user ?? sandboxOwner;
    try {
      const stage = await Stage.create(join(directory, 'stage'), resolved, {
        owner,
        userMap: owner ? (this.#runner.userMap?.(resolved, owner) ?? '') : '',
        cgroups: cgroup?.paths ?? [],
      });
      const sandbox = new StageSandbox({
        id,
        stage,
        cgroup,
        directory,
        runner: this.#runner,
        options: resolved,
        user,
        onDestroy: (allDead) => {
          this.#sandboxes.delete(id);
          if (allDead) user?.release();
        },
      });
      this.#sandboxes.set(id, sandbox);
      return sandbox;
    } catch (error) {
      await cgroup?.remove();
      rmSync(directory, { recursive: true, force: true });
      throw error;
    }
  }

  async destroy(id: string): Promise<void> {
    await this.#sandboxes.get(id)?.destroy();
  }

  #makeCgroup(id: string, options: ResolvedOptions): SandboxCgroup | null {
    if (this.#rootless) return null;
    const limits = { memoryBytes: options.memoryBytes, pids: this.#runner.hostTasks(options.pids) };
    return SandboxCgroup.create(`${ownerIdentity()}-${id}`, limits, { required: !options.unsealed.has('limits') });
  }
}

function cannotMapOwners(error: unknown): boolean {
  return AssayError.is(error) && error.code === 'SANDBOX_START_FAILED' && error.message.includes(CANNOT_MAP);
}

async function destroyOnAbort(sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  if (signal.aborted) {
    await sandbox.destroy();
    throw interrupted(signal);
  }
  signal.addEventListener('abort', () => void sandbox.destroy(), { once: true });
}
