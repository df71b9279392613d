// Runs on the host, in the network namespace of one exec and in nothing else of it: node inward-relay.mjs [UID GID]
// Is handed connections by the process that started it, each with a port and the addresses to try, and carries them to that port there. Until a
// port was reached once, they may wait for it.
import { connect } from 'node:net';

/** A server whose queue is full does not answer at all. */
const CONNECT_MS = 10_000;
/** How long the last bytes of an exec that has ended may take to reach the host. */
const DRAIN_MS = 250;

/** Until what waits looks again: the later, the longer, as what starts needs the processor. */
const pause = () => Math.max(4, performance.now() / 25);

/** @type {Map<import('node:net').Socket, import('node:net').Socket>} From each client to its connection inside. */
const connections = new Map();
/** @type {Set<number>} Ports that were reached. */
const reached = new Set();

/**
 * @param {import('node:net').Socket} client
 * @param {{ port: number, hosts: string[], until: number }} wanted
 * @param {string[]} hosts
 */
function carry(client, wanted, [host, ...others]) {
  if (client.destroyed) return;
  const { port } = wanted;
  const upstream = connect({ host, port, allowHalfOpen: true, noDelay: true });
  connections.set(client, upstream);
  let connected = false;
  const timer = setTimeout(() => upstream.destroy(new Error('no answer')), CONNECT_MS);
  upstream.once('connect', () => {
    clearTimeout(timer);
    // Where nobody listens a connection can meet itself.
    if (upstream.localPort === upstream.remotePort) return upstream.destroy(new Error('nobody listens'));
    connected = true;
    reached.add(port);
    client.pipe(upstream);
    upstream.pipe(client);
  });
  upstream.on('error', () => {
    clearTimeout(timer);
    if (connected || client.destroyed) client.destroy();
    else if (others.length > 0) carry(client, wanted, others);
    else if (process.connected && !reached.has(port) && performance.now() < wanted.until) setTimeout(carry, pause(), client, wanted, wanted.hosts);
    else client.destroy();
  });
}

function drain() {
  setTimeout(() => process.exit(), DRAIN_MS);
  endWhenIdle();
  for (const [client, upstream] of connections) {
    if (upstream.readableEnded || upstream.destroyed) client.destroySoon();
    else upstream.once('end', () => client.destroySoon());
  }
}

function endWhenIdle() {
  if (connections.size === 0 && !process.connected) process.exit();
}

const [uid, gid] = process.argv.slice(2).map(Number);
if (uid !== undefined && gid !== undefined) {
  process.setgroups?.([]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}
process.on('message', ({ port, hosts, patienceMs }, client) => {
  // Gone on its way here.
  if (client === undefined) return;
  client.allowHalfOpen = true;
  client.on('error', () => connections.get(client)?.destroy());
  client.once('close', () => {
    connections.delete(client);
    endWhenIdle();
  });
  carry(client, { port, hosts, until: performance.now() + patienceMs }, hosts);
});
process.once('disconnect', drain);
