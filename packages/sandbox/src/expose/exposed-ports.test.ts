import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { ExecResult, Exposure } from '../contract.ts';
import { bubblewrapProvider } from '../providers/bubblewrap/bubblewrap-provider.ts';

const SLEEP = 'sleep 1.5; exit 7';

describe('the relay of exposed ports, which is seen from the host alone', { skip: process.getuid?.() === 0 ? false : 'root alone may steer it' }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'assay-expose-'));
  const socket = join(directory, 's');
  after(() => rmSync(directory, { recursive: true, force: true }));

  /** Of the relay: the process that removes the sockets, and the one that carries. */
  function relayPids(): number[] {
    const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
    return all.filter((pid) => commandLine(pid).includes(socket)).toSorted((a, b) => a - b);
  }

  async function withExec(command: string, exposure: Partial<Exposure>, use: (pids: number[]) => Promise<void>): Promise<ExecResult> {
    const sandbox = await bubblewrapProvider().create({});
    try {
      const run = sandbox.exec(command, { expose: [{ port: 5000, ...exposure, socket }] });
      await Promise.race([run, answered(socket)]);
      await use(relayPids());
      return await run;
    } finally {
      await sandbox.destroy();
    }
  }

  test('a connection does not meet itself where nobody listens', async () => {
    const port = 40_001;
    await withExec(SLEEP, { port, patienceMs: 200 }, async ([, relay]) => {
      // Leaves but one port that it can come from.
      execFileSync('nsenter', ['--target', String(relay), '--net', 'sh', '-c', `echo ${port} ${port} >/proc/sys/net/ipv4/ip_local_port_range`]);
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

  test('one that is killed takes its sockets along, and the exec goes on', async () => {
    const { exitCode } = await withExec(SLEEP, {}, async ([remover, relay]) => {
      process.kill(relay ?? 0, 'SIGKILL');
      while (commandLine(remover ?? 0) !== '') await new Promise((resolve) => { setTimeout(resolve, 5); });
      assert.equal(existsSync(socket), false);
    });
    assert.equal(exitCode, 7);
  });
});

/** What comes back, once the relay has looked: empty when nobody listens. */
async function answered(socket: string): Promise<string> {
  while (!existsSync(socket)) await new Promise((resolve) => { setTimeout(resolve, 2); });
  const connection = connect({ path: socket });
  let text = '';
  connection.on('data', (chunk) => (text += String(chunk))).on('error', () => undefined);
  connection.end('hello');
  await new Promise((resolve) => { connection.once('close', resolve); });
  return text;
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
