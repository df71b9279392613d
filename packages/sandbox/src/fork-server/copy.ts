import { setTimeout as sleep } from 'node:timers/promises';
import type { CgroupLeaf } from '../limits/sandbox-cgroup.ts';
import type { Owner } from '../owner.ts';
import type { ExecRequest, PreparedExec } from '../providers/process-runner.ts';
import type { CopyServer } from './copy-server.ts';

const LOOK_AGAIN_MS = 1;

interface Place {
  request: ExecRequest;
  leaf: CgroupLeaf;
  prepared: PreparedExec;
  /** The user of the server and of the sandbox. */
  user: Owner;
}

/** A copy of a server on its way into one exec, which holds a place for it. */
export class Copy {
  readonly #copied: { server: CopyServer; argv: string[] };
  readonly #place: Place;
  #forgotten = false;

  constructor(copied: { server: CopyServer; argv: string[] }, place: Place) {
    this.#copied = copied;
    this.#place = place;
  }

  /** Yields the line that ends the holder of the place: the copy's exit code, or `cold` to run the command itself. */
  async *end(): AsyncGenerator<string> {
    const exitCode = await this.#run().catch(() => 'cold');
    yield `${exitCode}\n`;
  }

  /** The exec has ended. */
  forget(): void {
    this.#forgotten = true;
  }

  async #run(): Promise<number> {
    const { server, argv } = this.#copied;
    const {
      request: { cwd, env },
      leaf,
      prepared,
      user,
    } = this.#place;
    const insidePid = await this.#joinable(prepared);
    return await server.run({ insidePid, groups: leaf.admit(user), cwd, env, argv });
  }

  async #joinable({ ready, insidePid }: PreparedExec): Promise<number> {
    while (!this.#forgotten) {
      const pid = ready?.() ? (insidePid?.() ?? null) : null;
      if (pid !== null) return pid;
      await sleep(LOOK_AGAIN_MS);
    }
    throw new Error('the exec has ended');
  }
}
