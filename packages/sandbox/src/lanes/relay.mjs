// Runs inside the sandbox: node relay.mjs PORT=SOCKET... -- COMMAND... Listens on 127.0.0.1:PORT for each lane, passes
// every connection on to its Unix socket, and runs the command once all listen.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';

const CANNOT_START = 125;

const separator = process.argv.indexOf('--');
const lanes = process.argv.slice(2, separator);
const [command, ...rest] = process.argv.slice(separator + 1);

/** @param {string} lane */
async function listen(lane) {
  const [port, ...socket] = lane.split('=');
  const server = createServer({ allowHalfOpen: true }, (client) => relay(client, socket.join('=')));
  server.listen(Number(port), '127.0.0.1');
  await once(server, 'listening');
}

/**
 * @param {import('node:net').Socket} client
 * @param {string} path
 */
function relay(client, path) {
  const upstream = connect({ path, allowHalfOpen: true });
  client.pipe(upstream);
  upstream.pipe(client);
  client.on('error', () => upstream.destroy());
  upstream.on('error', () => client.destroy());
}

try {
  await Promise.all(lanes.map(listen));
} catch (error) {
  console.error(`the lane cannot be opened: ${error.message}`);
  process.exit(CANNOT_START);
}
const child = spawn(command, rest, { stdio: 'inherit' });
child.once('error', (error) => {
  console.error(error.message);
  process.exit(CANNOT_START);
});
child.once('exit', (exitCode, signal) => process.exit(exitCode ?? 128 + constants.signals[signal]));
