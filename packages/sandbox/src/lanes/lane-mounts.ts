import { chownSync, lstatSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AssayError } from '@assay/protocol/errors';
import type { Lane, Mount } from '../contract.ts';
import { sandboxOwner } from '../owner.ts';

const NODE = '/opt/assay/node';
const RELAY = '/opt/assay/relay.mjs';

/**
 * Returns the mounts that lanes need: their sockets, the Node that runs this process, and the relay. Gives each socket
 * to the user of the sandbox, who has to connect to it. Throws `LANE_FAILED` when a socket is missing.
 */
export function laneMounts(lanes: Lane[]): Mount[] {
  if (lanes.length === 0) return [];
  for (const { socket } of lanes) openToUser(socket);
  return [
    { kind: 'read-only', source: process.execPath, target: NODE },
    { kind: 'read-only', source: fileURLToPath(new URL('relay.mjs', import.meta.url)), target: RELAY },
    ...lanes.map(({ port, socket }): Mount => ({ kind: 'read-only', source: socket, target: socketInside(port) })),
  ];
}

/** The command, started by a relay once 127.0.0.1 answers on the port of every lane. */
export function withLanes(lanes: Lane[], argv: string[]): string[] {
  if (lanes.length === 0) return argv;
  return [NODE, RELAY, ...lanes.map(({ port }) => `${port}=${socketInside(port)}`), '--', ...argv];
}

function socketInside(port: number): string {
  return `/run/lanes/${port}`;
}

function openToUser(socket: string): void {
  const entry = lstatSync(socket, { throwIfNoEntry: false });
  if (!entry?.isSocket()) throw new AssayError('LANE_FAILED', { lane: socket, detail: 'there is no Unix socket' });
  if (sandboxOwner) chownSync(socket, sandboxOwner.uid, sandboxOwner.gid);
}
