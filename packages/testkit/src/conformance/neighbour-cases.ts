import assert from 'node:assert/strict';
import type { Sandbox, SandboxProvider } from '@assay/sandbox';
import { eventually, NODE_MOUNT, output, runNode, withSandbox, type ConformanceCase } from './conformance-case.ts';

function withTwo(provider: SandboxProvider, use: (first: Sandbox, second: Sandbox) => Promise<void>): Promise<void> {
  const options = { mounts: [NODE_MOUNT] };
  return withSandbox(provider, options, (first) => withSandbox(provider, options, (second) => use(first, second)));
}

/** Listens on a port and an abstract socket, writes `ready`, and ends when the file `stop` appears. */
const LISTEN = `
import { createServer } from 'node:net';
import { existsSync, writeFileSync } from 'node:fs';
const listen = (where) => new Promise((resolve, reject) => {
  const server = createServer((socket) => socket.end('x'));
  server.once('error', reject);
  server.listen(where, () => resolve(server));
});
const servers = await Promise.all([listen({ port: 5555, host: '127.0.0.1' }), listen({ path: '\\0assay-neighbour' })]);
writeFileSync('ready', '');
const timer = setInterval(() => {
  if (!existsSync('stop')) return;
  clearInterval(timer);
  for (const server of servers) server.close();
  console.log(JSON.stringify('stopped'));
}, 50);
`;

const CONNECT = `
import { connect } from 'node:net';
const attempt = (target) => new Promise((resolve) => {
  const socket = connect(target);
  socket.once('connect', () => { resolve('connected'); socket.destroy(); });
  socket.once('error', (error) => resolve(error.code));
});
console.log(JSON.stringify(await Promise.all([attempt({ port: 5555, host: '127.0.0.1' }), attempt({ path: '\\0assay-neighbour' })])));
`;

export const NEIGHBOUR_CASES: ConformanceCase[] = [
  {
    name: "two sandboxes do not see each other's files",
    run: (provider) =>
      withTwo(provider, async (first, second) => {
        for (const directory of ['/workspace', '/tmp', '/home/user', '/dev/shm', '/var/tmp'])
          await output(first, `echo secret > ${directory}/secret`);
        assert.equal(
          (
            await second.exec(
              'cat /workspace/secret /tmp/secret /home/user/secret /dev/shm/secret /var/tmp/secret 2>/dev/null',
            )
          ).stdout,
          '',
        );
        await output(second, 'echo mine > /tmp/secret');
        assert.equal(await output(first, 'cat /tmp/secret'), 'secret');
      }),
  },
  {
    name: "two sandboxes do not see each other's processes",
    run: (provider) =>
      withTwo(provider, async (first, second) => {
        const running = first.exec('touch ready; while ! [ -e stop ]; do sleep 0.1; done', {
          env: { MARK: 'neighbour' },
        });
        await eventually('the first runs', async () => (await first.exec('test -e ready')).exitCode === 0);
        assert.equal(await output(second, 'cat /proc/[0-9]*/environ | grep -c MARK=neighbour || true'), '0');
        await output(second, 'kill -KILL -1 2>/dev/null; true').catch(() => {});
        await first.writeFile('stop', '');
        assert.equal((await running).exitCode, 0);
      }),
  },
  {
    name: "two sandboxes do not see each other's ports and abstract sockets",
    run: (provider) =>
      withTwo(provider, async (first, second) => {
        const one = runNode(first, LISTEN);
        const two = runNode(second, LISTEN);
        for (const sandbox of [first, second])
          await eventually(
            'both listen on the same port',
            async () => (await sandbox.exec('test -e ready')).exitCode === 0,
          );
        await second.writeFile('stop', '');
        assert.equal(await two, 'stopped');
        assert.deepEqual(await runNode(second, CONNECT), ['ECONNREFUSED', 'ECONNREFUSED']);
        await first.writeFile('stop', '');
        assert.equal(await one, 'stopped');
      }),
  },
  {
    name: 'destroying one sandbox leaves another alone',
    run: (provider) =>
      withTwo(provider, async (first, second) => {
        const running = second.exec('touch ready; while ! [ -e stop ]; do sleep 0.1; done; echo done');
        await eventually('the second runs', async () => (await second.exec('test -e ready')).exitCode === 0);
        await first.destroy();
        await second.writeFile('stop', '');
        assert.equal((await running).stdout, 'done\n');
      }),
  },
];
