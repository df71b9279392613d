import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import {
  assertExit,
  eventually,
  NODE_MOUNT,
  withHostDirectory,
  withSandbox,
  type ConformanceCase,
} from './conformance-case.ts';
import { ECHO, PORT, closed, exchange, listening, opened, runScript, text, withServer } from './expose-server.ts';

export const EXPOSE_CASES: ConformanceCase[] = [
  {
    name: 'a server inside is reached through the socket, by 127.0.0.1 and by ::1 alone',
    run: async (provider) => {
      assert.equal(provider.exposes, true);
      for (const host of ['127.0.0.1', '::1']) {
        await withServer(provider, ECHO.replace('HOST', host), async (running) => {
          await listening(running);
          assert.equal(await running.sandbox.listens?.(PORT + 1), false);
          assert.equal(lstatSync(running.socket).mode & 0o777, 0o600);
          const every = Uint8Array.from({ length: 256 }, (_, index) => index);
          assert.deepEqual(await exchange(running.socket, every), Buffer.from(every));
          assert.match(String(await text(running.socket, 'exit')), /bye$/);
          assertExit(await running.run, 7);
          assert.equal(existsSync(running.socket), false);
          assert.equal(await running.sandbox.listens?.(PORT), false);
        });
      }
    },
  },
  {
    name: 'by another address of the loopback a server is reached that listens on all, and none that listens on one',
    run: (provider) =>
      withHostDirectory((directory) =>
        withSandbox(provider, { mounts: [NODE_MOUNT] }, async (sandbox) => {
          for (const [host, answer] of [
            ['0.0.0.0', 'x'],
            ['::', 'x'],
            ['127.0.0.1', ''],
            ['::1', ''],
          ] as const) {
            const socket = join(directory, host.replaceAll(':', '_'));
            const run = runScript(sandbox, ECHO.replace('HOST', host), {
              expose: [
                { port: PORT, socket, address: '127.0.0.2' },
                { port: PORT, socket: `${socket}-any` },
              ],
            });
            await listening({ sandbox });
            assert.equal((await text(socket, 'x')) ?? '', answer, host);
            await text(`${socket}-any`, 'exit');
            assertExit(await run, 7);
          }
        }),
      ),
  },
  {
    name: 'a connection to a port where nobody listens ends at once, and works once somebody does',
    run: (provider) =>
      withServer(
        provider,
        `import { existsSync } from 'node:fs'; while (!existsSync('/tmp/go')) await new Promise((resolve) => setTimeout(resolve, 10)); ${ECHO.replace('HOST', '127.0.0.1')}`,
        async (running) => {
          for (let time = 0; time < 20; time += 1) assert.equal((await text(running.socket, 'x')) ?? '', '');
          await running.sandbox.writeFile('/tmp/go', '');
          await listening(running);
          assert.equal(await text(running.socket, 'x'), 'x');
        },
      ),
  },
  {
    name: 'with patience, a connection waits until somebody listens, for its time, and after the first one no more',
    run: (provider) =>
      withHostDirectory((directory) =>
        withSandbox(provider, { mounts: [NODE_MOUNT] }, async (sandbox) => {
          const [socket, hasty] = [join(directory, 's'), join(directory, 'hasty')];
          const script = `
        import { existsSync } from 'node:fs';
        import { createServer } from 'node:net';
        while (!existsSync('/tmp/go')) await new Promise((resolve) => setTimeout(resolve, 10));
        const server = createServer((connection) => connection.once('data', (chunk) => {
          connection.end(chunk);
          if (String(chunk) === 'stop') server.close();
        })).listen(${PORT}, '127.0.0.1');
        setInterval(() => undefined, 1000);`;
          const run = runScript(sandbox, script, {
            expose: [
              { port: PORT, socket, patienceMs: 60_000 },
              { port: PORT + 1, socket: hasty, patienceMs: 50 },
            ],
          });
          run.catch(() => undefined);
          await eventually('the sockets are there', () => existsSync(hasty));
          const early = text(socket, 'x');
          assert.equal((await text(hasty, 'x')) ?? '', '', 'its time is over');
          await sandbox.writeFile('/tmp/go', '');
          assert.equal(await early, 'x');
          assert.equal(await text(socket, 'stop'), 'stop');
          await eventually('nobody listens any more', async () => (await sandbox.listens?.(PORT)) === false);
          assert.equal((await text(socket, 'x')) ?? '', '');
        }),
      ),
  },
  {
    name: 'two megabytes go there and back unchanged, and so does what 300 connections send at once',
    run: (provider) =>
      withServer(provider, ECHO.replace('HOST', '127.0.0.1'), async (running) => {
        await listening(running);
        const big = randomBytes(2 * 1024 * 1024);
        assert.ok((await exchange(running.socket, big))?.equals(big));
        const messages = Array.from({ length: 300 }, (_, index) => String(index).repeat(1000));
        assert.deepEqual(await Promise.all(messages.map((message) => text(running.socket, message))), messages);
      }),
  },
  {
    name: 'each half of a connection ends alone, and what a server sends before it exits arrives',
    run: (provider) =>
      withServer(
        provider,
        `
      import { createServer } from 'node:net';
      const all = new Promise((resolve) => createServer({ allowHalfOpen: true }, (socket) => {
        let length = 0;
        socket.end('first');
        socket.on('data', (chunk) => (length += chunk.length)).on('end', () => resolve(length));
      }).listen(${PORT}, '127.0.0.1'));
      createServer({ allowHalfOpen: true }, async (socket) => socket.write(Buffer.alloc(100_000, String(await all) + ','), () => process.exit(7))).listen(${PORT + 1}, '127.0.0.1');`,
        async (running) => {
          await Promise.all([PORT, PORT + 1].map((port) => listening(running, port)));
          const connection = await opened(running.socket);
          let received = '';
          connection.on('data', (chunk) => (received += String(chunk)));
          await once(connection, 'end');
          assert.equal(received, 'first');
          connection.end(randomBytes(1024 * 1024));
          await once(connection, 'close');
          const last = await exchange(running.other, '');
          assert.deepEqual([last?.length, last?.toString('latin1', 0, 8)], [100_000, `${1024 * 1024},`]);
          assertExit(await running.run, 7);
        },
      ),
  },
  {
    name: 'what is not read waits inside, and is not lost',
    run: (provider) =>
      withServer(
        provider,
        `
      import { createServer } from 'node:net';
      import { writeFileSync } from 'node:fs';
      createServer(async (socket) => {
        let sent = 0;
        const piece = Buffer.alloc(65536, 'x');
        while (sent < 1000) {
          sent += 1;
          if (!socket.write(piece)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), new Promise((resolve) => setTimeout(resolve, 1000)).then(() => writeFileSync('/tmp/stuck', String(sent)))]);
          while (socket.writableNeedDrain) await new Promise((resolve) => setTimeout(resolve, 10));
        }
        socket.end();
      }).listen(${PORT}, '127.0.0.1');`,
        async (running) => {
          await listening(running);
          const connection = await opened(running.socket);
          await eventually(
            'the server has to wait',
            async () => (await running.sandbox.kindOf?.('/tmp/stuck')) === 'file',
          );
          let received = 0;
          connection.on('data', (chunk: Buffer) => (received += chunk.length));
          await once(connection, 'end');
          connection.destroy();
          assert.equal(received, 1000 * 65_536);
        },
      ),
  },
  {
    name: 'a server that dies, closes or resets ends the connections that it had',
    run: (provider) =>
      withServer(
        provider,
        `
      import { createServer } from 'node:net';
      createServer((socket) => socket.on('error', () => undefined).once('data', (chunk) => {
        if (String(chunk) === 'reset') socket.resetAndDestroy();
        else if (String(chunk) === 'close') socket.destroy();
        else process.kill(process.pid, 'SIGKILL');
      })).listen(${PORT}, '127.0.0.1');`,
        async (running) => {
          await listening(running);
          const idle = await opened(running.socket);
          for (const wish of ['reset', 'close', 'die']) {
            const connection = await opened(running.socket);
            connection.write(wish);
            await closed(connection);
          }
          await closed(idle);
          assertExit(await running.run, 137);
          assert.equal(existsSync(running.socket), false);
        },
      ),
  },
  {
    name: 'the code inside sees no relay, no path of the socket, and cannot end the way in',
    run: (provider) =>
      withServer(
        provider,
        `
      import { createServer } from 'node:net';
      import { readdirSync, readFileSync } from 'node:fs';
      const read = (path) => { try { return readFileSync(path, 'latin1'); } catch { return ''; } };
      createServer((socket) => {
        const processes = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name));
        const seen = processes.map((pid) => read('/proc/' + pid + '/cmdline') + read('/proc/' + pid + '/environ')).join();
        try { process.kill(-1, 'SIGKILL'); } catch {}
        const own = readdirSync('/proc/self/task');
        for (let pid = 2; pid < 40000; pid += 1) if (!own.includes(String(pid))) try { process.kill(pid, 'SIGKILL'); } catch {}
        socket.end(JSON.stringify({ count: processes.length, seen, unix: read('/proc/net/unix') }));
      }).listen(${PORT}, '127.0.0.1');`,
        async (running) => {
          await listening(running);
          for (let time = 0; time < 2; time += 1) {
            const { count, seen, unix } = JSON.parse((await text(running.socket, '')) ?? 'null') as {
              count: number;
              seen: string;
              unix: string;
            };
            assert.ok(count <= 3, `${count} processes`);
            assert.doesNotMatch(seen, /relay/);
            assert.match(unix, /^Num\s.*\sPath\n/);
            assert.doesNotMatch(
              unix.slice(unix.indexOf('\n')),
              /[^\s\da-f:]/i,
              'every Unix socket of its network is without a name',
            );
            assert.equal(seen.includes(running.socket), false);
          }
        },
      ),
  },
  {
    name: 'code inside that floods, forks and connects to itself does not close the way in',
    run: (provider) =>
      withServer(
        provider,
        `
      import { connect, createServer } from 'node:net';
      import { spawn } from 'node:child_process';
      for (let time = 0; time < 20; time += 1) spawn('/bin/sh', ['-c', 'while :; do :; sleep 0.1; done'], { stdio: 'ignore', detached: true });
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', (chunk) => {
          if (String(chunk) === 'ask') return socket.end('answer');
          const flood = () => { while (!socket.destroyed && socket.write(Buffer.alloc(65536))); socket.once('drain', flood); };
          flood();
        });
      }).listen(${PORT}, '127.0.0.1', () => {
        for (let time = 0; time < 200; time += 1) connect(${PORT}, '127.0.0.1').on('error', () => undefined);
      });`,
        async (running) => {
          await listening(running);
          const floods = await Promise.all(Array.from({ length: 8 }, () => opened(running.socket)));
          for (const flood of floods) flood.write('flood');
          for (let time = 0; time < 20; time += 1) assert.equal(await text(running.socket, 'ask'), 'answer');
          for (const flood of floods) flood.destroy();
          assert.equal(await text(running.socket, 'ask'), 'answer');
        },
      ),
  },
  {
    name: 'a port is reached in its own exec only, not in another of the same sandbox',
    run: (provider) =>
      withServer(provider, ECHO.replace('HOST', '127.0.0.1'), async (running) => {
        await listening(running);
        const other = join(running.socket, '../second');
        const second = runScript(running.sandbox, 'process.stdin.resume(); setInterval(() => undefined, 1000);', {
          expose: [{ port: PORT, socket: other }],
        });
        second.catch(() => undefined);
        await eventually('the other socket is there', () => existsSync(other));
        for (let time = 0; time < 5; time += 1) assert.equal((await text(other, 'x')) ?? '', '');
        assert.equal(await text(running.socket, 'x'), 'x');
        const inside = await runScript(
          running.sandbox,
          `import { connect } from 'node:net'; connect(${PORT}, '127.0.0.1').on('error', (error) => console.log(error.code));`,
        );
        assert.equal(inside.stdout, 'ECONNREFUSED\n');
      }),
  },
  {
    name: 'several ports have sockets of their own, next to lanes',
    needs: ['lanes'],
    run: (provider) =>
      withHostDirectory(async (directory) => {
        const [first, second] = [join(directory, 'first'), join(directory, 'second')];
        await withSandbox(
          provider,
          { mounts: [NODE_MOUNT], network: { kind: 'lanes', lanes: [] } },
          async (sandbox) => {
            const script = `import { createServer } from 'node:net'; for (const port of [${PORT}, ${PORT + 1}]) createServer((socket) => socket.end(String(port))).listen(port, '127.0.0.1');`;
            const run = runScript(sandbox, script, {
              expose: [
                { port: PORT, socket: first },
                { port: PORT + 1, socket: second },
              ],
            });
            run.catch(() => undefined);
            for (const port of [PORT, PORT + 1])
              await eventually('both listen', async () => (await sandbox.listens?.(port)) ?? false);
            assert.deepEqual([await text(first, ''), await text(second, '')], [String(PORT), String(PORT + 1)]);
          },
        );
        assert.deepEqual([existsSync(first), existsSync(second)], [false, false]);
      }),
  },
];
