import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  assertExit,
  eventually,
  NODE_MOUNT,
  withHostDirectory,
  withSandbox,
  type ConformanceCase,
} from './conformance-case.ts';
import { ECHO, PORT, closed, opened, ownerScript, runScript, text } from './expose-server.ts';

/** How exposed ports end, and what cannot be exposed. */
export const EXPOSE_END_CASES: ConformanceCase[] = [
  {
    name: 'time-out, abort and destroy take the socket and its connections with them',
    run: async (provider) => {
      for (const way of ['time-out', 'abort', 'destroy']) {
        await withHostDirectory((directory) =>
          withSandbox(provider, { mounts: [NODE_MOUNT] }, async (sandbox) => {
            const socket = join(directory, 's');
            const abort = new AbortController();
            const options = {
              expose: [{ port: PORT, socket }],
              signal: abort.signal,
              ...(way === 'time-out' ? { timeout: 3000 } : {}),
            };
            const run = runScript(sandbox, ECHO.replace('HOST', '127.0.0.1'), options).then(
              ({ exitCode }) => exitCode,
              (error: { code: string }) => error.code,
            );
            await eventually('the server listens', async () => (await sandbox.listens?.(PORT)) ?? false);
            const connection = await opened(socket);
            if (way === 'abort') abort.abort();
            if (way === 'destroy') await sandbox.destroy();
            assert.equal(await run, { 'time-out': 124, abort: 'INTERRUPTED', destroy: 'SANDBOX_GONE' }[way]);
            await closed(connection);
            assert.equal(existsSync(socket), false, way);
          }),
        );
      }
    },
  },
  {
    name: 'when the owner is killed the relay and the socket are gone',
    run: (provider) =>
      withHostDirectory(async (directory) => {
        const socket = join(directory, 's');
        const owner = spawn(process.execPath, ['--input-type=module', '-e', ownerScript(provider.name ?? '', socket)], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        assert.equal((await once(createInterface({ input: owner.stdout }), 'line'))[0], 'listens');
        assert.equal(await text(socket, 'x'), 'x');
        const connection = await opened(socket);
        owner.kill('SIGKILL');
        await closed(connection);
        await eventually('the socket is gone', () => !existsSync(socket));
      }),
  },
  {
    name: 'what cannot be exposed is refused, and leaves nothing behind',
    run: (provider) =>
      withHostDirectory((directory) =>
        withSandbox(provider, { mounts: [NODE_MOUNT] }, async (sandbox) => {
          const there = join(directory, 'there');
          const fresh = join(directory, 'fresh');
          writeFileSync(there, 'kept');
          for (const expose of [
            [
              { port: PORT, socket: fresh },
              { port: PORT, socket: there },
            ],
            [
              { port: PORT, socket: fresh },
              { port: PORT, socket: fresh },
            ],
            [{ port: PORT, socket: join(directory, 'missing/s') }],
            [{ port: PORT, socket: 'relative' }],
            [{ port: 0, socket: fresh }],
            [{ port: 65_536, socket: fresh }],
            [{ port: PORT, socket: fresh, address: 'localhost' }],
            [{ port: 1.5, socket: fresh }],
            [{ port: PORT, socket: fresh, patienceMs: -1 }],
            [{ port: PORT, socket: `${fresh}${'x'.repeat(120)}` }],
          ])
            await assert.rejects(sandbox.exec('true', { expose }), { code: 'BAD_OPTION' }, JSON.stringify(expose));
          assert.equal(existsSync(fresh), false);
          assert.equal(lstatSync(there).isFile(), true);
          assertExit(await sandbox.exec('true'), 0);
          await withSandbox(provider, { unsealed: ['network'] }, (open) =>
            assert.rejects(open.exec('true', { expose: [{ port: PORT, socket: fresh }] }), { code: 'BAD_OPTION' }),
          );
        }),
      ),
  },
  {
    name: 'an exposed command keeps its streams and its exit code, and one that cannot start says so',
    run: (provider) =>
      withHostDirectory((directory) =>
        withSandbox(provider, {}, async (sandbox) => {
          const expose = [{ port: PORT, socket: join(directory, 's') }];
          const result = await sandbox.exec('cat; echo e >&2; exit 9', { stdin: 'in', expose });
          assert.deepEqual([result.stdout, result.stderr, result.exitCode], ['in', 'e\n', 9]);
          for (let time = 0; time < 5; time += 1) assertExit(await sandbox.exec('', { argv: ['true'], expose }), 0);
          assertExit(await sandbox.exec('', { argv: ['no-such-command'], expose }), 127);
          assert.equal(existsSync(join(directory, 's')), false);
        }),
      ),
  },
];
