import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AssayError } from '@assay/protocol/errors';
import type { Exposure } from '../contract.ts';
import { sandboxOwner } from '../owner.ts';
import { exactDescriptors } from '../process/child-descriptors.ts';
import { hostEnvironment } from '../process/host-environment.ts';

/**
 * Waits for a process of the exec, runs the relay in that one's network namespace, and removes the sockets, which this process does itself
 * unless it was killed. The sockets are not the relay's: the code inside can list the paths of all that were made in its namespace.
 */
const SCRIPT = `
node=$1 relay=$2 owner=$3 holder=$4
shift 4
if read -r pid && [ -n "$pid" ]; then
  if [ -n "$holder" ]; then
    nsenter --target "$holder" --user --preserve-credentials -- nsenter --target "$pid" --net -- "$node" "$relay" $owner
  else
    nsenter --target "$pid" --net -- "$node" "$relay" $owner
  fi
fi
rm -f -- "$@"
`;
const RELAY = fileURLToPath(new URL('inward-relay.mjs', import.meta.url));
/** What a server listens on that names no address, or the loopback. */
const LOOPBACK = ['127.0.0.1', '::1'];
const LOOK_AGAIN_MS = 2;
/** More than the relay takes to hand over the last bytes. */
const PATIENCE_MS = 1000;

export interface ExecNamespaces {
  /** A process of the host that is in the network namespace of the exec, `null` while there is none. */
  insidePid: () => number | null;
  /** Rootless: a process whose user namespace is above the one of the exec. */
  holderPid: number | null;
}

/** The sockets of one exec, and the relay behind them. */
export class ExposedPorts {
  readonly #servers: Server[] = [];
  readonly #sockets: string[] = [];
  readonly #waiting = new Set<Socket>();
  #relay: ChildProcess | undefined;
  #used = false;
  #closed = false;

  /** Makes the sockets. Throws `BAD_OPTION` when one cannot be made. */
  static async open(exposures: Exposure[]): Promise<ExposedPorts> {
    const ports = new ExposedPorts();
    try {
      for (const exposure of exposures) await ports.#listen(exposure);
      return ports;
    } catch (error) {
      await ports.close();
      throw error;
    }
  }

  /** Starts the relay, which begins its work as soon as the exec has a network. Does not wait for it. */
  start(namespaces: ExecNamespaces): void {
    const owner = sandboxOwner ? `${sandboxOwner.uid} ${sandboxOwner.gid}` : '';
    const rest = [process.execPath, RELAY, owner, String(namespaces.holderPid ?? ''), ...this.#sockets];
    const stdio = exactDescriptors<'pipe' | 'ignore' | 'ipc'>(['pipe', 'ignore', 'ignore', 'ipc']);
    const relay = spawn('/bin/sh', ['-c', SCRIPT, 'sh', ...rest], { stdio, env: hostEnvironment(), cwd: '/', detached: true });
    this.#relay = relay;
    relay.stdin?.on('error', () => undefined);
    const end = (): void => {
      this.#closed = true;
      for (const socket of this.#waiting) socket.destroy();
    };
    relay.on('error', end);
    relay.once('exit', end);
    void this.#sayPid(relay, namespaces.insidePid);
  }

  /** Gone are the sockets, the relay and every connection; what the exec sent last is handed over before. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) rmSync(socket, { force: true });
    const relay = this.#relay;
    if (relay?.pid === undefined || relay.exitCode !== null || relay.signalCode !== null) return;
    // Not by `once` of node:events, which rejects when the channel's other end was closed at the same moment.
    const ended = new Promise<void>((resolve) => relay.once('exit', () => resolve()));
    relay.stdin?.end();
    if (relay.connected) relay.disconnect();
    // One that was never used has nothing to hand over.
    const timer = setTimeout(() => killGroup(relay), this.#used ? PATIENCE_MS : 0);
    await ended;
    clearTimeout(timer);
  }

  async #listen({ port, socket, address, patienceMs = 0 }: Exposure): Promise<void> {
    const refused = (detail: string, cause?: unknown): AssayError => new AssayError('BAD_OPTION', { option: `expose ${socket}`, detail }, { cause });
    if (lstatSync(socket, { throwIfNoEntry: false })) throw refused('something is there already');
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (connection) => this.#carry({ port, hosts: address === undefined ? LOOPBACK : [address], patienceMs }, connection));
    try {
      const listening = once(server, 'listening');
      server.listen({ path: socket });
      await listening;
    } catch (error) {
      throw refused(error instanceof Error ? error.message : String(error), error);
    }
    this.#servers.push(server);
    this.#sockets.push(socket);
    chmodSync(socket, 0o600);
  }

  #carry(wanted: { port: number; hosts: readonly string[]; patienceMs: number }, connection: Socket): void {
    connection.on('error', () => undefined);
    if (this.#closed || !this.#relay) {
      connection.destroy();
      return;
    }
    this.#used = true;
    this.#waiting.add(connection);
    this.#relay.send(wanted, connection, {}, (error) => {
      this.#waiting.delete(connection);
      if (error) connection.destroy();
    });
  }

  async #sayPid(relay: ChildProcess, insidePid: () => number | null): Promise<void> {
    while (!this.#closed) {
      const pid = insidePid();
      if (pid !== null) {
        relay.stdin?.end(`${pid}\n`);
        return;
      }
      await sleep(LOOK_AGAIN_MS);
    }
  }
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}
