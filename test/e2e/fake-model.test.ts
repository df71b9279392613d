import assert from 'node:assert/strict';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { useFakeModel } from '@assay/testkit';
import { assay, assertRefused, inheritedEnvironment, MAIN } from './assay-process.ts';

let directory = '';
const file = (name: string): string => join(directory, name);

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-fake-model-'));
  await writeFile(file('script.json'), JSON.stringify({ turns: [{ say: 'forty two' }, { fault: 'silent' }] }));
});
after(() => rm(directory, { recursive: true, force: true }));

/** Reads standard error of a child until it matches. Returns the match. */
async function told(child: ChildProcessByStdio<null, null, Readable>, pattern: RegExp): Promise<string[]> {
  let text = '';
  for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    const match = pattern.exec(text);
    if (match !== null) return [...match];
  }
  assert.fail(text);
}

test('answers, logs without keys, and is gone after Ctrl-C, although a client still waits', async () => {
  const child = spawn(
    process.execPath,
    [MAIN, 'fake-model', '--script', file('script.json'), '--log', file('log.jsonl')],
    { env: inheritedEnvironment(), stdio: ['ignore', 'ignore', 'pipe'] },
  );
  after(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const [, origin = ''] = await told(child, /listens at (http:\/\/127\.0\.0\.1:\d+)\n/);
  const ask = (messages: object[]): Promise<Response> =>
    fetch(`${origin}/v1/messages?key=query-secret`, {
      method: 'POST',
      headers: { 'x-api-key': 'header-secret', authorization: 'Bearer other-secret', 'x-shown': 'shown' },
      body: JSON.stringify({ model: 'm', messages }),
    });
  const question = { role: 'user', content: 'what is it?' };
  const answer = await (await ask([question])).text();
  assert.match(answer, /forty two/);
  const silent = ask([question, { role: 'assistant', content: 'forty two' }, question]).then(
    () => 'answered',
    () => 'ended',
  );
  await told(child, /turn 2, silent: POST \/v1\/messages/);
  child.kill('SIGINT');
  assert.deepEqual(await ended, [130, null]);
  assert.equal(await silent, 'ended');
  await assert.rejects(fetch(origin));
  const log = await readFile(file('log.jsonl'), 'utf8');
  assert.doesNotMatch(log, /secret/);
  const entries = log
    .trim()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line));
  assert.deepEqual(
    entries.map(({ dialect, answered, path }) => [dialect, answered, path]),
    [
      ['anthropic-messages', 'turn 1', '/v1/messages?key=REMOVED'],
      ['anthropic-messages', 'turn 2, silent', '/v1/messages?key=REMOVED'],
    ],
  );
  assert.match(log, /"x-shown":"shown"/);
  assert.equal((await stat(file('log.jsonl'))).mode & 0o777, 0o600);
});

describe('refuses in one line', () => {
  const script = async (text: string): Promise<string> => {
    await writeFile(file('bad.json'), text);
    return file('bad.json');
  };

  test('a script that is none', async () => {
    assertRefused(
      await assay(['fake-model', '--script', await script('{"turns": [{"say": "a"}, {"fault": "nope"}]}')]),
      /bad\.json is no valid script for the fake model: turns\[1\]\.fault: expected one of status, reset/,
    );
    assertRefused(await assay(['fake-model', '--script', await script('{"turns": [')]), /no JSON/);
    assertRefused(
      await assay(['fake-model', '--script', await script('{"\\u001b[2J": 1, "turns": [{}]}')]),
      /Unrecognized key/,
    );
    for (const path of [file('none.json'), directory, '/dev/zero'])
      assertRefused(await assay(['fake-model', '--script', path]), /the file: /);
  });

  test('a port that is in use or none, an address of another machine, a log that cannot be written', async () => {
    const words = ['fake-model', '--script', file('script.json')];
    const { port } = new URL((await useFakeModel({ script: { turns: [{ say: 'x' }] } })).origin);
    assertRefused(await assay([...words, '--port', port]), /--port: \d+ is in use at 127\.0\.0\.1/);
    assertRefused(await assay([...words, '--port', '70000']), /--port/);
    assertRefused(await assay([...words, '--host', '192.0.2.1']), /--host/);
    assertRefused(await assay([...words, '--log', file('none/log')]), /--log: cannot write/);
  });

  test('no script at all', async () => {
    assertRefused(await assay(['fake-model']), /--script/);
  });
});
