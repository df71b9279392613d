// Runs on the host, in the network namespace of one exec and in nothing else of it: node inward-relay.mjs [UID GID]
// Is handed connections by the process that started it, each with a port, and carries them to that port of the loopback there.
import { connect } from 'node:net';

const HOSTS = ['127.0.0.1', '::1'];
/** A server whose queue is full does not answer at all. */
const CONNECT_MS = 10_000;
/** How long the last bytes of an exec that has ended may take to reach the host. */
const DRAIN_MS = 250;

/** @type {Map<import('node:net').Socket, import('node:net').Socket>} From each client to its connection inside. */
const connections = new Map();

/**
 * @param {import('node:net').Socket} client
 * @param {number} port
 * @param {string[]} hosts
 */
function carry(client, port, [host, ...others]) {
  const upstream = connect({ host, port, allowHalfOpen: true, noDelay: true });
  connections.set(client, upstream);
  let connected = false;
  const timer = setTimeout(() => upstream.destroy(new Error('no answer')), CONNECT_MS);
  upstream.once('connect', () => {
    clearTimeout(timer);
    // Where nobody listens a connection can meet itself.
    if (upstream.localPort === upstream.remotePort) return upstream.destroy(new Error('nobody listens'));
    connected = true;
    client.pipe(upstream);
    upstream.pipe(client);
  });
  upstream.on('error', () => {
    clearTimeout(timer);
    if (connected || others.length === 0 || client.destroyed) client.destroy();
    else carry(client, port, others);
  });
  client.on('error', () => upstream.destroy());
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
process.on('message', (port, client) => {
  // Gone on its way here.
  if (client === undefined) return;
  client.allowHalfOpen = true;
  client.once('close', () => {
    connections.delete(client);
    endWhenIdle();
  });
  carry(client, Number(port), HOSTS);
});
process.once('disconnect', drain);
