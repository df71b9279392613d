import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { ArtefactCache } from './artefact-cache.ts';
import { DEFAULT_LANE_LIMITS } from './contract.ts';
import { UpstreamClient } from './fetch-upstream.ts';
import { LaneFixture } from './testing/lane-fixture.ts';

const BODY = 'ten bytes!';
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';
const ENDLESS = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 'x'), Buffer.from('\r\n')]);

/** Raw answers to the request. An `endless` one repeats until the connection closes. */
const SAYINGS: Record<string, { text: string; endless?: true; expected: RegExp | null }> = {
  'an answer as it should be (control)': { text: `${HEAD}Content-Length: 10\r\n\r\n${BODY}`, expected: null },
  'fewer bytes than it says': {
    text: `${HEAD}Content-Length: 11\r\n\r\n${BODY}`,
    expected: /no connection to the upstream/,
  },
  'a megabyte of header': {
    text: `${HEAD}X-Large: ${'x'.repeat(1_000_000)}\r\nContent-Length: 10\r\n\r\n${BODY}`,
    expected: /no connection to the upstream \(HPE_HEADER_OVERFLOW\)/,
  },
  'two lengths': {
    text: `${HEAD}Content-Length: 10\r\nContent-Length: 3\r\n\r\n${BODY}`,
    expected: /no connection to the upstream/,
  },
  'a broken chunk': {
    text: `${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n${BODY}`,
    expected: /no connection to the upstream/,
  },
  'what is no HTTP': { text: 'SSH-2.0-OpenSSH\r\n\r\n', expected: /no connection to the upstream/ },
  'a stream without an end': {
    text: `${HEAD}Transfer-Encoding: chunked\r\n\r\n`,
    endless: true,
    expected: /larger than 1000000 bytes/,
  },
};

describe('a hostile upstream costs one failure', () => {
  let fixture: LaneFixture;
  let server: net.Server;
  let saying: (typeof SAYINGS)[string] | undefined;
  before(async () => {
    fixture = await LaneFixture.start();
    server = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write(saying?.text ?? '');
        if (saying?.endless !== true) return socket.end();
        const more = (): void => {
          while (!socket.destroyed && socket.write(ENDLESS));
        };
        more();
        return socket.on('drain', more);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    server.close();
    await fixture.stop();
  });

  for (const [what, said] of Object.entries(SAYINGS)) {
    test(what, async () => {
      saying = said;
      const address = server.address();
      assert.ok(typeof address === 'object' && address !== null);
      const url = new URL(`http://127.0.0.1:${address.port}/file`);
      const client = new UpstreamClient(
        'pypi',
        { url, certificates: [] },
        { ...DEFAULT_LANE_LIMITS, attempts: 1, indexBytes: 1_000_000 },
      );
      const directory = await fixture.newDirectory();
      const cache = new ArtefactCache(directory);
      await cache.open();
      const getArtefact = async (): Promise<unknown> =>
        await cache.get(
          client,
          url,
          { algorithm: 'sha256', hex: createHash('sha256').update(BODY).digest('hex') },
          1_000_000,
        );
      try {
        for (const get of [() => client.document(url, '*/*'), getArtefact]) {
          const { expected } = said;
          if (expected === null) assert.ok(await get());
          else
            await assert.rejects(
              get(),
              (error) =>
                AssayError.is(error) &&
                error.code === 'LANE_FAILED' &&
                expected.test(error.message) &&
                !error.message.includes('127.0.0.1'),
            );
        }
        assert.deepEqual(await readdir(join(directory, 'artefacts', 'drafts')), []);
        assert.equal((await readdir(join(directory, 'artefacts'))).length, said.expected === null ? 2 : 1);
      } finally {
        client.close();
      }
    });
  }
});
