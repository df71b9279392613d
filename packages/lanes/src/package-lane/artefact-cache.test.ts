import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '@assay/sandbox';
import { ArtefactCache } from './artefact-cache.ts';
import { LaneFixture } from './testing/lane-fixture.ts';
import { sha256 } from './testing/python-files.ts';

const PROGRAM = join(import.meta.dirname, 'testing', 'get-artefact.ts');
const BYTES = Buffer.alloc(3_000_000, 'artefact ');

describe('artefacts and processes', () => {
  let fixture: LaneFixture;
  before(async () => {
    fixture = await LaneFixture.start();
  });
  after(() => fixture.stop());

  const argv = (directory: string, url: URL): string[] => [
    process.execPath,
    PROGRAM,
    directory,
    url.href,
    sha256(BYTES),
  ];

  test('a process that is killed half-way leaves nothing that is handed out, and the next one clears up', async () => {
    const directory = await fixture.newDirectory();
    const drafts = join(directory, 'artefacts', 'drafts');
    fixture.upstream.routes.set('/half', { body: BYTES.subarray(0, 1_000_000), hang: 'in-body' });
    const [program = '', ...words] = argv(directory, new URL('/half', fixture.upstream.url));
    const child = spawn(program, words, { stdio: 'ignore' });
    const written = async (): Promise<number> => {
      const [draft] = await readdir(drafts).catch(() => []);
      return draft === undefined
        ? 0
        : await stat(join(drafts, draft)).then(
            ({ size }) => size,
            () => 0,
          );
    };
    while ((await written()) === 0) await sleep(10);
    child.kill('SIGKILL');
    await once(child, 'close');
    assert.equal((await readdir(drafts)).length, 1, 'control: half of it lies there');
    assert.deepEqual(await readdir(join(directory, 'artefacts')), ['drafts']);
    await new ArtefactCache(directory).open();
    assert.deepEqual(await readdir(drafts), []);
    fixture.upstream.routes.set('/half', { body: BYTES });
    const whole = await runCommand(argv(directory, new URL('/half', fixture.upstream.url)));
    assert.deepEqual(await readFile(whole.stdout.toString().trim()), BYTES, whole.stderr.toString());
  });

  test('two processes that fetch the same at the same time both get the whole of it', async () => {
    const directory = await fixture.newDirectory();
    const waiting: http.ServerResponse[] = [];
    const server = http.createServer((_request, response) => {
      response.writeHead(200, { 'content-length': BYTES.length });
      response.write(BYTES.subarray(0, 1000));
      waiting.push(response);
      // Neither ends before both have begun.
      if (waiting.length === 2) for (const each of waiting) each.end(BYTES.subarray(1000));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const address = server.address();
      assert.ok(typeof address === 'object' && address !== null);
      const both = await Promise.all(
        [1, 2].map(() => runCommand(argv(directory, new URL(`http://127.0.0.1:${address.port}/same`)))),
      );
      const [first = '', second = ''] = both.map(({ stdout }) => stdout.toString().trim());
      assert.equal(first, second, both.map(({ stderr }) => stderr.toString()).join(''));
      assert.deepEqual(await readFile(first), BYTES);
      assert.equal(waiting.length, 2);
      assert.deepEqual(await readdir(join(directory, 'artefacts', 'drafts')), []);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
