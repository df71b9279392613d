import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecResult, Exposure, Sandbox } from '../contract.ts';
import { bubblewrapProvider } from '../providers/bubblewrap/bubblewrap-provider.ts';

const SLEEP = 'sleep 1.5; exit 7';
/** More than is carried in one piece, less than the kernel keeps of what a process sent that is gone. */
const LAST = 100_000;
/** Ends each connection but that of `last`: says that it has it, waits for a file, and exits once it has sent. */
const SENDS_LAST = `exec perl -e 'socket S, 2, 1, 0; bind S, pack "S n x12", 2, 5000; listen S, 9;
  while (accept C, S) { sysread C, $said, 9; close(C), next if $said ne "last"; syswrite C, "!"; select undef, undef, undef, 0.01 until -e "/tmp/go"; syswrite C, "x" x ${LAST}; exit 7 }'`;

describe(
  'the relay of exposed ports, which is seen from the host alone',
  { skip: process.getuid?.() === 0 ? false : 'root alone may steer it' },
  () => {
    const directory = mkdtempSync(join(tmpdir(), 'assay-expose-'));
    const socket = join(directory, 's');
    after(() => rmSync(directory, { recursive: true, force: true }));

    /** Returns the relay's two processes: the one that removes the sockets, and the one that carries the bytes. */
    function relayPids(): number[] {
      const all = readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map(Number);
      return all.filter((pid) => commandLine(pid).includes(socket)).toSorted((a, b) => a - b);
    }

    async function withExec(
      command: string,
      exposure: Partial<Exposure>,
      use: (pids: number[], sandbox: Sandbox) => Promise<void>,
    ): Promise<ExecResult> {
      const sandbox = await bubblewrapProvider().create({});
      try {
        const run = sandbox.exec(command, { expose: [{ port: 5000, ...exposure, socket }] });
        await Promise.race([run, answered(socket)]);
        await use(relayPids(), sandbox);
        return await run;
      } finally {
        await sandbox.destroy();
      }
    }

    test('a connection does not meet itself where nobody listens', async () => {
      const port = 40_001;
      await withExec(SLEEP, { port, patienceMs: 200 }, async ([, relay]) => {
        // Leaves but one port that it can come from.
        execFileSync('nsenter', [
          '--target',
          String(relay),
          '--net',
          'sh',
          '-c',
          `echo ${port} ${port} >/proc/sys/net/ipv4/ip_local_port_range`,
        ]);
        assert.equal(await answered(socket), '');
      });
    });

    test('one that stands still does not keep its exec from ending, nor leaves a socket', async () => {
      const { exitCode } = await withExec(SLEEP, {}, async (pids) => {
        assert.equal(pids.length, 2);
        for (const pid of pids) process.kill(pid, 'SIGSTOP');
      });
      assert.equal(exitCode, 7);
      assert.deepEqual([existsSync(socket), relayPids()], [false, []]);
    });

    test('one that is behind when the exec ends hands over what was sent last', async () => {
      const { exitCode } = await withExec(SENDS_LAST, { patienceMs: 60_000 }, async ([, relay = 0], sandbox) => {
        const connection = connect({ path: socket });
        let length = 0;
        connection.on('data', (chunk) => (length += chunk.length)).on('error', () => undefined);
        const closed = new Promise((resolve) => {
          connection.once('close', resolve);
        });
        connection.write('last');
        while (length === 0) await pause();
        process.kill(relay, 'SIGSTOP');
        await sandbox.writeFile('/tmp/go', '');
        // By then the relay has been told to end.
        while (existsSync(socket)) await pause();
        process.kill(relay, 'SIGCONT');
        await closed;
        assert.equal(length, 1 + LAST);
      });
      assert.equal(exitCode, 7);
    });

    test('one that is killed takes its sockets along, and the exec goes on', async () => {
      const { exitCode } = await withExec(SLEEP, {}, async ([remover, relay]) => {
        process.kill(relay ?? 0, 'SIGKILL');
        while (commandLine(remover ?? 0) !== '') await pause();
        assert.equal(existsSync(socket), false);
      });
      assert.equal(exitCode, 7);
    });
  },
);

/** Returns the answer once the relay has looked; empty when nobody listens. */
async function answered(socket: string): Promise<string> {
  while (!existsSync(socket)) await pause();
  const connection = connect({ path: socket });
  let text = '';
  connection.on('data', (chunk) => (text += String(chunk))).on('error', () => undefined);
  connection.end('hello');
  await new Promise((resolve) => {
    connection.once('close', resolve);
  });
  return text;
}

const pause = (): Promise<void> => sleep(5);

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
