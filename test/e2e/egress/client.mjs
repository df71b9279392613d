// Runs inside a sandbox, or outside of one as a control: reads probes as JSON from standard input and prints what each
// came to, by its id.
import { spawnSync } from 'node:child_process';
import dgram from 'node:dgram';
import { Resolver, promises as dns } from 'node:dns';
import { readFileSync } from 'node:fs';
import net from 'node:net';

const PATIENCE_MS = 8000;

/** Connects, says something, and tells whether anybody was there. */
function tcp({ host, port, path, say }) {
  return new Promise((resolve) => {
    let socket;
    const end = (result) => {
      clearTimeout(timer);
      socket?.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => end('timeout'), 15_000);
    try {
      socket = net.connect(path === undefined ? { host, port } : { path });
      socket
        .on('error', ({ code, message }) => end(code ?? message))
        .on('connect', () => socket.end(say, 'latin1', () => setTimeout(() => end('connected'), 20)));
    } catch (error) {
      end(error.code ?? error.message);
    }
  });
}

/** Sends bytes to a lane as they are, and tells all that comes back until the connection ends or falls silent. */
function raw({ port, say }) {
  return new Promise((resolve) => {
    let text = '';
    const socket = net.connect({ host: '127.0.0.1', port });
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(text);
    };
    const timer = setTimeout(end, PATIENCE_MS);
    socket
      .on('data', (chunk) => {
        if (text.length < 20_000) text += chunk.toString('latin1');
        timer.refresh();
      })
      .on('close', end)
      .on('error', ({ code }) => {
        text += `[${code}]`;
      });
    for (const piece of [say].flat()) socket.write(piece, 'latin1');
  });
}

function udp({ host, port, say }) {
  return new Promise((resolve) => {
    const socket = dgram.createSocket(host.includes(':') ? 'udp6' : 'udp4');
    const end = (result) => {
      clearTimeout(timer);
      try {
        socket.close();
      } catch {}
      resolve(result);
    };
    const timer = setTimeout(() => end('silent'), 400);
    socket.on('error', ({ code }) => end(code)).on('message', () => end('answered'));
    socket.connect(port, host, (error) =>
      error ? end(error.code) : socket.send(Buffer.from(say, 'latin1'), (failed) => failed && end(failed.code)),
    );
  });
}

async function lookup({ name, type, server }) {
  try {
    if (type === undefined) return JSON.stringify(await dns.lookup(name, { all: true }));
    const resolver = new Resolver({ timeout: 300, tries: 1 });
    if (server !== undefined) resolver.setServers([server]);
    return await new Promise((resolve, reject) =>
      resolver.resolve(name, type, (error, records) => (error ? reject(error) : resolve(JSON.stringify(records)))),
    );
  } catch (error) {
    return error.code ?? error.message;
  }
}

function run({ argv, env }) {
  const { status, error, stdout, stderr } = spawnSync(argv[0], argv.slice(1), {
    encoding: 'utf8',
    timeout: 60_000,
    env: { ...process.env, ...env },
    cwd: '/tmp',
  });
  return `${error?.code ?? `exit ${status}`} ${`${stdout}${stderr}`.slice(-2000)}`;
}

const KINDS = { tcp, udp, lookup, run };
const probes = JSON.parse(readFileSync(0, 'utf8'));
const results = new Map();
// Names last: the threads that look them up are few, and connections wait for them.
for (const kinds of [['tcp', 'udp'], ['lookup']])
  await Promise.all(
    probes
      .filter(({ kind }) => kinds.includes(kind))
      .map(async (probe) => results.set(probe.key, await KINDS[probe.kind](probe))),
  );
for (const probe of probes.filter(({ kind }) => kind === 'run')) results.set(probe.key, run(probe));
// A lane takes only so many connections at a time.
const waiting = probes.filter(({ kind }) => kind === 'raw');
await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (let probe = waiting.shift(); probe !== undefined; probe = waiting.shift())
      results.set(probe.key, await raw(probe));
  }),
);
console.log(JSON.stringify(Object.fromEntries(results)));
