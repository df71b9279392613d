import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { isIP } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AssayError } from '@assay/protocol/errors';
import type { Exposure } from '../contract.ts';
import { sandboxOwner } from '../owner.ts';
import { exactDescriptors } from '../process/child-descriptors.ts';
import { hostEnvironment } from '../process/host-environment.ts';

const RELAY = fileURLToPath(new URL('inward-relay.pl', import.meta.url));
/** Numbers of the system calls setns, setgroups, setgid, setuid and clock_gettime. */
const SYSTEM_CALLS: Partial<Record<NodeJS.Architecture, string>> = {
  x64: '308,116,106,105,228',
  arm64: '268,159,144,146,113',
};
/** Addresses of a server that listens on the loopback, or on every address. */
const LOOPBACK = '127.0.0.1,::1';
const LOOK_AGAIN_MS = 2;
/** More than the relay takes to hand over the last bytes. */
const PATIENCE_MS = 1000;

export interface ExecNamespaces {
  /** A process of the host that is in the network namespace of the exec, `null` while there is none. */
  insidePid: () => number | null;
  /** Rootless: a process whose user namespace is above the one of the exec. */
  holderPid: number | null;
}

/** The sockets of one exec, and the relay that listens on them. */
export class ExposedPorts {
  readonly #relay: ChildProcess;
  readonly #sockets: string[];
  readonly #ended: Promise<void>;
  #closed = false;

  private constructor(relay: ChildProcess, sockets: string[]) {
    this.#relay = relay;
    this.#sockets = sockets;
    this.#ended = new Promise((resolve) =>
      relay.once('exit', () => {
        this.#closed = true;
        resolve();
      }),
    );
  }

  /**
   * Makes the sockets. Throws `BAD_OPTION` when one cannot be made, `COMMAND_NOT_FOUND` when the machine has no perl.
   */
  static async open(exposures: Exposure[]): Promise<ExposedPorts> {
    const relay = await startRelay(exposures.flatMap(toArguments));
    const sockets = exposures.map(({ socket }) => socket);
    const ports = new ExposedPorts(relay, sockets);
    const said = relay.stdout ? await text(relay.stdout) : '';
    if (said === 'ready') return ports;
    const [, index, detail] = /^(\d+) (.+)$/.exec(said) ?? [];
    if (detail !== undefined)
      throw new AssayError('BAD_OPTION', { option: `expose ${sockets[Number(index)]}`, detail });
    throw new AssayError('SANDBOX_START_FAILED', { provider: 'expose', detail: said || 'the relay ended' });
  }

  /** Lets the relay begin its work as soon as the exec has a network. Does not wait for it. */
  start(namespaces: ExecNamespaces): void {
    void this.#sayPid(namespaces);
  }

  /**
   * Gone are the sockets, the relay and every connection; what the exec sent last is handed over before. Never rejects.
   */
  async close(): Promise<void> {
    for (const socket of this.#sockets) rmSync(socket, { force: true });
    if (this.#closed) return;
    this.#closed = true;
    this.#relay.stdin?.end();
    const timer = setTimeout(() => killGroup(this.#relay), PATIENCE_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  async #sayPid({ insidePid, holderPid }: ExecNamespaces): Promise<void> {
    while (!this.#closed) {
      const pid = insidePid();
      if (pid !== null) {
        this.#relay.stdin?.write(`${pid} ${holderPid ?? 0}\n`);
        return;
      }
      await sleep(LOOK_AGAIN_MS);
    }
  }
}

async function startRelay(exposures: string[]): Promise<ChildProcess> {
  const systemCalls = SYSTEM_CALLS[process.arch];
  if (systemCalls === undefined)
    throw new AssayError('BAD_OPTION', { option: 'expose', detail: `it is not made for ${process.arch}` });
  const owner = sandboxOwner ? `${sandboxOwner.uid}:${sandboxOwner.gid}` : '-';
  const stdio = exactDescriptors<'pipe' | 'ignore'>(['pipe', 'pipe', 'ignore']);
  const relay = spawn('perl', [RELAY, systemCalls, owner, ...exposures], {
    stdio,
    env: hostEnvironment(),
    cwd: '/',
    detached: true,
  });
  relay.stdin?.on('error', () => undefined);
  await new Promise<void>((resolve, reject) =>
    relay.once('spawn', resolve).once('error', (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT')
        reject(
          new AssayError(
            'COMMAND_NOT_FOUND',
            { command: 'perl', hint: 'Install it: apt-get install perl-base.' },
            { cause },
          ),
        );
      else reject(new AssayError('SANDBOX_START_FAILED', { provider: 'expose', detail: cause.message }, { cause }));
    }),
  );
  relay.on('error', () => undefined);
  return relay;
}

function toArguments({ port, socket, address = LOOPBACK, patienceMs = 0 }: Exposure): string[] {
  if (address !== LOOPBACK && (isIP(address) === 0 || address.includes('%')))
    throw new AssayError('BAD_OPTION', { option: `expose ${socket}`, detail: `${address} is no IP address` });
  return [socket, String(port), String(patienceMs), address];
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}
