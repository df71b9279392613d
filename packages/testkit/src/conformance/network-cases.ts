import assert from 'node:assert/strict';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import {
  assertExit,
  NODE_MOUNT,
  output,
  runNode,
  withHostDirectory,
  withSandbox,
  type ConformanceCase,
} from './conformance-case.ts';

/**
 * Prints, for each target (a port and address, or a path), what a connection to it says: `connected` or an error code.
 */
const CONNECT = `
import { connect } from 'node:net';
const attempt = (target) => new Promise((resolve) => {
  const socket = connect({ ...target, timeout: 3000 });
  socket.once('connect', () => { resolve('connected'); socket.destroy(); });
  socket.once('timeout', () => { resolve('timeout'); socket.destroy(); });
  socket.once('error', (error) => resolve(error.code));
});
console.log(JSON.stringify(await Promise.all(TARGETS.map(attempt))));
`;

function connectScript(targets: Array<{ host: string; port: number } | { path: string }>): string {
  return CONNECT.replace('TARGETS', JSON.stringify(targets));
}

async function listen<T extends Server | HttpServer>(server: T, where: object): Promise<T> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, resolve);
  });
  return server;
}

function sayHello(socket: Socket): void {
  // The other side may be gone by now.
  socket.on('error', () => {});
  socket.end('hello');
}

function portOf(server: Server | HttpServer): number {
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return address.port;
}

/** Every address under which the host can be reached. */
function hostAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return [...new Set(['127.0.0.1', ...all.filter(({ family }) => family === 'IPv4').map(({ address }) => address)])];
}

export const NETWORK_CASES: ConformanceCase[] = [
  {
    name: 'no server of the host can be reached, by any address, unless the seal `network` is off',
    run: async (provider) => {
      const server = await listen(createServer(sayHello), { port: 0, host: '0.0.0.0' });
      try {
        const targets = hostAddresses().map((host) => ({ host, port: portOf(server) }));
        const sealed = await withSandbox(provider, { mounts: [NODE_MOUNT] }, (sandbox) =>
          runNode(sandbox, connectScript(targets)),
        );
        assert.ok(Array.isArray(sealed) && sealed.length > 0 && !sealed.includes('connected'), JSON.stringify(sealed));
        const open = await withSandbox(provider, { mounts: [NODE_MOUNT], unsealed: ['network'] }, (sandbox) =>
          runNode(sandbox, connectScript(targets)),
        );
        assert.ok(Array.isArray(open) && open[0] === 'connected', `control: ${JSON.stringify(open)}`);
      } finally {
        server.close();
      }
    },
  },
  {
    name: 'the world, IPv6 and names cannot be reached',
    run: (provider) =>
      withSandbox(provider, { mounts: [NODE_MOUNT] }, async (sandbox) => {
        // Addresses reserved for documentation: nothing answers there even without a seal.
        const targets = ['192.0.2.1', '2001:db8::1', '169.254.169.254', 'example.invalid'].map((host) => ({
          host,
          port: 80,
        }));
        const results = await runNode(sandbox, connectScript(targets));
        const expected = [
          'ENETUNREACH',
          'EHOSTUNREACH',
          'EADDRNOTAVAIL',
          'EAI_AGAIN',
          'ENOTFOUND',
          'ECONNREFUSED',
          'EAFNOSUPPORT',
        ];
        assert.ok(
          Array.isArray(results) && results.every((result) => expected.includes(result)),
          JSON.stringify(results),
        );
      }),
  },
  {
    name: 'loopback is the only interface, and works',
    run: (provider) =>
      withSandbox(provider, { mounts: [NODE_MOUNT] }, async (sandbox) => {
        assert.equal(await output(sandbox, 'tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " "'), 'lo');
        const script = `
        import { createServer, connect } from 'node:net';
        const server = createServer((socket) => socket.end('x')).listen(4567, '127.0.0.1', () => connect(4567, '127.0.0.1').once('data', (data) => {
          console.log(JSON.stringify(String(data)));
          server.close();
        }));`;
        assert.equal(await runNode(sandbox, script), 'x');
      }),
  },
  {
    name: 'abstract sockets of the host cannot be reached',
    run: async (provider) => {
      const path = `\0assay-${randomBytes(8).toString('hex')}`;
      const server = await listen(createServer(sayHello), { path });
      try {
        const sealed = await withSandbox(provider, { mounts: [NODE_MOUNT] }, (sandbox) =>
          runNode(sandbox, connectScript([{ path }])),
        );
        assert.deepEqual(sealed, ['ECONNREFUSED']);
      } finally {
        server.close();
      }
    },
  },
  {
    name: 'abstract sockets of the host can be reached with the seal `network` off (control)',
    run: async (provider) => {
      const path = `\0assay-${randomBytes(8).toString('hex')}`;
      const server = await listen(createServer(sayHello), { path });
      try {
        const open = await withSandbox(provider, { mounts: [NODE_MOUNT], unsealed: ['network'] }, (sandbox) =>
          runNode(sandbox, connectScript([{ path }])),
        );
        assert.deepEqual(open, ['connected']);
      } finally {
        server.close();
      }
    },
  },
  {
    name: 'lanes lead to sockets of the host, from the first instruction on, and nothing else does',
    needs: ['lanes'],
    run: (provider) =>
      withHostDirectory(async (directory) => {
        const lanes = [7001, 7002].map((port) => ({ port, socket: join(directory, `${port},a:b.sock`) }));
        const echo = (name: string): HttpServer =>
          createHttpServer((request, response) => {
            response.write(`${name} ${request.url} `);
            request.pipe(response);
          });
        const servers = await Promise.all(
          lanes.map(({ port, socket }) => listen(echo(`lane${port}`), { path: socket })),
        );
        try {
          await withSandbox(provider, { mounts: [NODE_MOUNT], network: { kind: 'lanes', lanes } }, async (sandbox) => {
            const script = `
            const ask = async (port, body) => (await fetch('http://127.0.0.1:' + port + '/p', { method: 'POST', body })).text();
            const big = 'x'.repeat(2_000_000);
            const other = await fetch('http://127.0.0.1:7003/').then(() => 'reached', () => 'refused');
            console.log(JSON.stringify([await ask(7001, 'a'), await ask(7002, 'b'), (await ask(7001, big)).length, other]));`;
            assert.deepEqual(await runNode(sandbox, script), [
              'lane7001 /p a',
              'lane7002 /p b',
              2_000_000 + 'lane7001 /p '.length,
              'refused',
            ]);
          });
        } finally {
          for (const server of servers) {
            server.closeAllConnections();
            server.close();
          }
        }
      }),
  },
  {
    name: 'a command behind a lane keeps its environment, streams, directory and exit code',
    needs: ['lanes'],
    run: (provider) =>
      withHostDirectory(async (directory) => {
        const socket = join(directory, 's');
        const server = await listen(createServer(), { path: socket });
        try {
          await withSandbox(
            provider,
            { env: { NODE_OPTIONS: '--no-such-option' }, network: { kind: 'lanes', lanes: [{ port: 7001, socket }] } },
            async (sandbox) => {
              const result = await sandbox.exec(
                'pwd; env | sort | cut -d= -f1 | tr "\\n" " "; cat; echo e >&2; exit 9',
                { stdin: 'in', cwd: '/tmp' },
              );
              assert.deepEqual(
                [result.stdout, result.stderr, result.exitCode],
                ['/tmp\nHOME LANG NODE_OPTIONS PATH PWD TMPDIR in', 'e\n', 9],
              );
              assertExit(await sandbox.exec('kill -TERM $$'), 143);
              assertExit(await sandbox.exec('', { argv: ['no-such-command'] }), 127);
              assertExit(await sandbox.exec('sleep 1000', { timeout: 2000 }), 124);
            },
          );
          await assert.rejects(
            provider.create({
              network: { kind: 'lanes', lanes: [{ port: 7001, socket: join(directory, 'missing') }] },
            }),
            { code: 'LANE_FAILED' },
          );
        } finally {
          server.close();
        }
      }),
  },
];
