import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { RequestListener } from 'node:http';
import { digestHex, parseContentId } from './content-id.ts';
import { createContentStore, type ContentStore } from './content-store.ts';
import { firstAnswer } from './first-answer.ts';
import { openContentStore } from './open-content-store.ts';
import type { SourceFault } from './read-blocks.ts';
import { GatewayBlocks } from './sources/gateway-blocks.ts';
import { LocalBlocks } from './sources/local-blocks.ts';
import { sampleBytes } from './testing/sample-tree.ts';
import { coded } from './testing/store-conformance.ts';
import { startGateway, startKubo, startServer, type BlockServer, type TestServer } from './testing/test-server.ts';
import { importFile } from './unixfs/import-file.ts';

const content = sampleBytes(600_000);

describe('a store of several sources', () => {
  let root: string;
  let directory: string;
  let good: BlockServer;
  let cid: string;
  const servers: TestServer[] = [];

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'assay-content-'));
    good = await startGateway();
    cid = (await importFile([content], 1, good.plant)).cid.toString();
  });
  beforeEach(async () => {
    directory = await mkdtemp(join(root, 'store-'));
    good.requests.length = 0;
  });
  after(async () => {
    await Promise.all([good, ...servers].map((server) => server.close()));
    await rm(root, { recursive: true, force: true });
  });

  const serve = async (listener: RequestListener): Promise<string> => {
    const server = await startServer(listener);
    servers.push(server);
    return server.url;
  };
  const open = (gateways: string[], faults: SourceFault[] = []): ContentStore =>
    openContentStore({ directory, kubo: null, gateways, environment: {}, onFault: (fault) => faults.push(fault) });

  test('keeps what a gateway had, and asks it no more', async () => {
    assert.ok((await open([good.url]).get(cid)).equals(content));
    const asked = good.requests.length;
    assert.equal(asked, 4);
    assert.ok((await open([good.url]).get(cid)).equals(content));
    assert.equal(good.requests.length, asked);
    assert.ok((await open([]).get(cid)).equals(content));
  });

  test('says how to reach others when there are none', async () => {
    await assert.rejects(
      open([]).get(cid),
      (error: unknown) => coded('CONTENT_NOT_FOUND')(error) && /ASSAY_IPFS_GATEWAYS/.test(String(error)),
    );
  });

  test('mends a damaged block of its own from another, and tells', async () => {
    await open([good.url]).get(cid);
    const digest = digestHex(parseContentId(cid));
    const block = join(directory, 'blocks', digest.slice(0, 2), digest);
    const intact = await readFile(block);
    await writeFile(block, 'damage');
    await assert.rejects(open([]).get(cid), coded('CONTENT_CORRUPT'));
    const faults: SourceFault[] = [];
    assert.ok((await open([good.url], faults).get(cid)).equals(content));
    assert.deepEqual(
      faults.map(({ source, code }) => ({ source, code })),
      [{ source: directory, code: 'CONTENT_CORRUPT' }],
    );
    assert.ok((await readFile(block)).equals(intact));
  });

  const hostile: Record<string, { code: SourceFault['code']; listener: RequestListener }> = {
    'wrong bytes': { code: 'CONTENT_CORRUPT', listener: (_, response) => response.end('something else') },
    'an endless body': {
      code: 'CONTENT_TOO_LARGE',
      listener: (_, response) => {
        const more = (): void => {
          while (response.write(Buffer.alloc(65_536))) if (response.destroyed) return;
        };
        response.on('drain', more);
        more();
      },
    },
    'a body that breaks off': {
      code: 'CONTENT_UNREACHABLE',
      listener: (_, response) => {
        response.writeHead(200, { 'content-length': '1000' }).write('start', () => response.destroy());
      },
    },
    'a refusal': { code: 'CONTENT_UNREACHABLE', listener: (_, response) => response.writeHead(429).end() },
    'compressed bytes': {
      code: 'CONTENT_UNREACHABLE',
      listener: (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    },
  };
  for (const [name, { code, listener }] of Object.entries(hostile)) {
    test(`goes on to the next gateway after one with ${name}`, async () => {
      const bad = await serve(listener);
      await assert.rejects(open([bad]).get(cid), coded(code));
      const faults: SourceFault[] = [];
      assert.ok((await open([bad, good.url], faults).get(cid)).equals(content));
      // Only the first block: then the good one is asked first.
      assert.deepEqual(
        faults.map((fault) => fault.code),
        [code],
      );
    });
  }

  test('goes on after one that nobody runs', async () => {
    const closed = await startServer(() => {});
    await closed.close();
    await assert.rejects(open([closed.url]).get(cid), coded('CONTENT_UNREACHABLE'));
    assert.ok((await open([closed.url, good.url]).get(cid)).equals(content));
  });

  test('does not wait for a gateway that never answers', async () => {
    const silent = await serve(() => {});
    const sources = [silent, good.url].map((url) => new GatewayBlocks(new URL(url)));
    assert.ok((await createContentStore({ sources, keepers: [], patienceMs: 20 }).get(cid)).equals(content));
    await assert.rejects(open([silent]).get(cid, { timeoutMs: 200 }), coded('CONTENT_UNREACHABLE'));
  });

  test('a gateway may redirect, but not to this machine', async () => {
    const redirecting = await serve((request, response) =>
      response.writeHead(302, { location: `${good.url}${request.url}` }).end(),
    );
    await assert.rejects(open([redirecting]).get(cid), coded('CONTENT_UNREACHABLE'));
    assert.deepEqual(good.requests, []);
    const anywhere = new GatewayBlocks(new URL(redirecting), { local: 'always' });
    assert.ok((await createContentStore({ sources: [anywhere], keepers: [] }).get(cid)).equals(content));
  });

  test('what cannot be kept is still handed over', async () => {
    const blocked = join(directory, 'file-in-the-way');
    await writeFile(blocked, '');
    const faults: SourceFault[] = [];
    const store = openContentStore({
      directory: blocked,
      kubo: null,
      gateways: [good.url],
      environment: {},
      onFault: (fault) => faults.push(fault),
    });
    assert.ok((await store.get(cid)).equals(content));
    assert.ok(faults.every(({ source }) => source === blocked));
    assert.ok(faults.some(({ code }) => code === 'CONTENT_UNWRITABLE'));
    await assert.rejects(store.put(content), coded('CONTENT_UNWRITABLE'));
  });

  test('stores here and in the Kubo node, pinned there', async () => {
    const kubo = await startKubo();
    servers.push(kubo);
    const stored = await openContentStore({ directory, gateways: [], environment: { ASSAY_IPFS_API: kubo.url } }).put(
      content,
    );
    assert.deepEqual(kubo.pins, [stored.cid]);
    assert.ok(
      (await createContentStore({ sources: [new LocalBlocks(directory)], keepers: [] }).get(stored.cid)).equals(
        content,
      ),
    );
    assert.ok(
      (
        await openContentStore({ directory: null, kubo: kubo.url, gateways: [], environment: {} }).get(stored.cid)
      ).equals(content),
    );
  });

  test('takes endpoints from the environment, and refuses what is none', async () => {
    const environment = { ASSAY_IPFS_GATEWAYS: ` ${good.url}/ , ` };
    assert.ok((await openContentStore({ directory, environment }).get(cid)).equals(content));
    for (const url of [
      'localhost:5001',
      '/ip4/127.0.0.1/tcp/5001',
      'ftp://127.0.0.1/',
      'http://user:secret@127.0.0.1/',
      'http://127.0.0.1/?key=secret',
    ]) {
      assert.throws(
        () => openContentStore({ directory, environment: { ASSAY_IPFS_API: url } }),
        coded('BAD_OPTION'),
        url,
      );
      assert.throws(
        () => openContentStore({ directory, environment: { ASSAY_IPFS_GATEWAYS: url } }),
        coded('BAD_OPTION'),
        url,
      );
    }
    assert.throws(() => openContentStore({ directory: null, environment: {} }), coded('BAD_OPTION'));
  });

  test('a Kubo node that stores something else is no Kubo node', async () => {
    const liar = await serve((request, response) => {
      request.resume();
      response.end(JSON.stringify({ Key: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku' }));
    });
    for (const kubo of [liar, await serve((_, response) => response.end('<html>'))]) {
      await assert.rejects(
        openContentStore({ directory: null, kubo, gateways: [], environment: {} }).put(content),
        coded('CONTENT_UNREACHABLE'),
      );
    }
  });
});

describe('firstAnswer', () => {
  const { signal } = new AbortController();
  const never = (own: AbortSignal): Promise<null> =>
    new Promise((resolve) => own.addEventListener('abort', () => resolve(null)));

  test('starts the next when one has nothing, and none after one that has', async () => {
    const started: number[] = [];
    const attempt = (index: number, value: string | null) => async () => {
      started.push(index);
      return value;
    };
    assert.equal(
      await firstAnswer([attempt(0, null), attempt(1, 'b'), attempt(2, 'c')], { delayMs: 60_000, signal }),
      'b',
    );
    assert.deepEqual(started, [0, 1]);
    assert.equal(await firstAnswer([attempt(3, null), attempt(4, null)], { delayMs: 60_000, signal }), null);
    assert.equal(await firstAnswer<string>([], { delayMs: 60_000, signal }), null);
  });

  test('starts the next beside a silent one, which is aborted in the end', async () => {
    let aborted = false;
    const silent = async (own: AbortSignal): Promise<null> => {
      await never(own);
      aborted = true;
      return null;
    };
    assert.equal(await firstAnswer([silent, async () => 'value'], { delayMs: 1, signal }), 'value');
    await new Promise(setImmediate);
    assert.ok(aborted);
  });

  test('waits for an earlier one when the last has nothing', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const last = async (): Promise<null> => {
      setImmediate(() => resolve('late'));
      return null;
    };
    assert.equal(await firstAnswer([() => promise, last], { delayMs: 1, signal }), 'late');
  });

  test('ends with what an attempt throws', async () => {
    await assert.rejects(
      firstAnswer([async () => Promise.reject(new Error('broken')), async () => 'value'], { delayMs: 60_000, signal }),
      /broken/,
    );
  });
});
