import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { RequestListener } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import zlib from 'node:zlib';
import { coded } from '../testing/store-conformance.ts';
import { TEST_CERTIFICATE } from '@assay/testkit';
import { startServer, type TestServer } from '../testing/test-server.ts';
import { addressRule, fetchPublic, type PublicFetchOptions } from './fetch-public.ts';
import { GuardedClient, type AddressRule } from './guarded-client.ts';

const SECRET = 'what only this machine may read';
const limits = { maxBytes: 10_000, timeoutMs: 30_000 };

describe('fetchPublic', () => {
  let secret: TestServer;
  const servers: TestServer[] = [];
  before(async () => {
    secret = await startServer((_, response) => response.end(SECRET));
  });
  beforeEach(() => {
    secret.requests.length = 0;
  });
  after(() => Promise.all([secret, ...servers].map((server) => server.close())));

  const serve = async (listener: RequestListener): Promise<string> => {
    const server = await startServer(listener);
    servers.push(server);
    return server.url;
  };
  const read = async (url: string, options: Partial<PublicFetchOptions> = {}): Promise<string> =>
    (await fetchPublic(url, { ...limits, ...options })).bytes.toString();

  /** Ways to write an address of this machine. */
  const spellings = [
    '127.0.0.1',
    'localhost',
    '127.1',
    '0x7f000001',
    '0x7f.1',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '0.0.0.0',
    '0',
    '１２７.0.0.1',
    'LOCALHOST',
  ];
  for (const host of spellings) {
    test(`does not reach this machine as ${host}`, async () => {
      // http, as the server has no certificate: what is refused here is the address.
      const url = `http://${host}:${secret.port}/`;
      assert.equal(await plainClient(url, addressRule(new URL(url), 'never', true)), 'ADDRESS_REFUSED');
      assert.equal(await plainClient(url, () => null), SECRET);
      secret.requests.length = 0;
      await assert.rejects(read(url), coded('ADDRESS_REFUSED'));
      await assert.rejects(read(url.replace('http:', 'https:')), coded('ADDRESS_REFUSED'));
      assert.deepEqual(secret.requests, []);
    });
  }

  for (const host of spellings) {
    test(`reaches it as ${host} when the user named it (control)`, async () => {
      assert.equal(await read(`http://${host}:${secret.port}/`, { local: 'named' }), SECRET);
    });
  }

  test('a name that leads to this machine is refused, and so is one that also leads there', async () => {
    for (const addresses of [
      ['127.0.0.1'],
      ['::1'],
      ['1.1.1.1', '127.0.0.1'],
      ['169.254.169.254'],
      ['::ffff:127.0.0.1'],
    ]) {
      await assert.rejects(
        read(`https://innocent.example:${secret.port}/`, { resolve: async () => addresses }),
        coded('ADDRESS_REFUSED'),
        addresses.join(),
      );
    }
    assert.deepEqual(secret.requests, []);
    assert.equal(
      await read(`http://innocent.example:${secret.port}/`, { resolve: async () => ['127.0.0.1'], local: 'always' }),
      SECRET,
    );
  });

  test('a name without an address, and a resolver that fails or hangs', async () => {
    await assert.rejects(read('https://a.example/', { resolve: async () => [] }), coded('CONTENT_UNREACHABLE'));
    await assert.rejects(
      read('https://a.example/', { resolve: async () => Promise.reject(new Error('SERVFAIL')) }),
      coded('CONTENT_UNREACHABLE'),
    );
    await assert.rejects(
      read('https://a.example/', { resolve: () => new Promise(() => {}), timeoutMs: 50 }),
      coded('CONTENT_UNREACHABLE'),
    );
  });

  test('plain http is refused from public addresses, too', async () => {
    const resolve = async (): Promise<string[]> => ['1.1.1.1'];
    await assert.rejects(read('http://public.example/', { resolve }), coded('ADDRESS_REFUSED'));
    await assert.rejects(read('http://public.example/', { resolve, local: 'named' }), coded('ADDRESS_REFUSED'));
  });

  describe('redirects', () => {
    test('to this machine are refused, also from what the user named', async () => {
      const redirecting = await serve((_, response) =>
        response.writeHead(302, { location: `${secret.url}/inner` }).end('see there'),
      );
      await assert.rejects(read(redirecting, { local: 'named' }), coded('ADDRESS_REFUSED'));
      assert.deepEqual(secret.requests, []);
      assert.equal(await read(redirecting, { local: 'always' }), SECRET);
      assert.deepEqual(secret.requests, ['/inner']);
    });

    test('within the named origin are followed', async () => {
      const url = await serve((request, response) =>
        request.url === '/' ? response.writeHead(301, { location: '/there' }).end() : response.end('arrived'),
      );
      assert.equal(await read(url, { local: 'named' }), 'arrived');
      assert.equal((await fetchPublic(url, { ...limits, local: 'named' })).url, `${url}/there`);
    });

    test('from localhost to a name below it are followed, as a local gateway makes them, on the same port alone', async () => {
      const to =
        (port: number): RequestListener =>
        (request, response) => {
          if (request.headers.host?.startsWith('below.') === true) response.end('arrived');
          else response.writeHead(301, { location: `http://below.localhost:${port}/` }).end();
        };
      const named = await startServer((request, response) => to(named.port)(request, response));
      servers.push(named);
      assert.equal(await read(`http://localhost:${named.port}/`, { local: 'named' }), 'arrived');
      await assert.rejects(read(named.url, { local: 'named' }), coded('ADDRESS_REFUSED'));
      const leaving = new URL(await serve(to(secret.port)));
      await assert.rejects(read(`http://localhost:${leaving.port}/`, { local: 'named' }), coded('ADDRESS_REFUSED'));
    });

    test('are followed five times and no more', async () => {
      const url = await serve((request, response) => {
        const left = Number(request.url?.slice(1));
        if (left === 0) response.end('arrived');
        else response.writeHead(307, { location: `/${left - 1}` }).end();
      });
      assert.equal(await read(`${url}/5`, { local: 'named' }), 'arrived');
      await assert.rejects(read(`${url}/6`, { local: 'named' }), coded('CONTENT_UNREACHABLE'));
    });

    for (const location of [
      'file:///etc/passwd',
      'ftp://127.0.0.1/',
      'http://user:password@127.0.0.1/',
      'data:text/plain,hello',
      'javascript:1',
    ]) {
      test(`to ${location} are refused`, async () => {
        const url = await serve((_, response) => response.writeHead(302, { location }).end());
        await assert.rejects(read(url, { local: 'always' }), coded('ADDRESS_REFUSED'));
      });
    }

    test('to something that is no address', async () => {
      const url = await serve((_, response) => response.writeHead(302, { location: 'http://[' }).end());
      await assert.rejects(read(url, { local: 'always' }), coded('CONTENT_UNREACHABLE'));
    });
  });

  test('what is no URL', async () => {
    for (const text of ['', 'example.org', 'https://', 'https://[', 'https://a b/'])
      await assert.rejects(read(text), coded('CONTENT_REFERENCE_INVALID'), text);
  });

  test('credentials in a URL are refused, and not shown', async () => {
    await assert.rejects(
      read(`http://user:hunter2@127.0.0.1:${secret.port}/`, { local: 'always' }),
      (error: unknown) => coded('ADDRESS_REFUSED')(error) && !String(error).includes('hunter2'),
    );
    assert.equal(await read(`http://127.0.0.1:${secret.port}/`, { local: 'always' }), SECRET);
  });

  test('bodies are read up to the limit', async () => {
    const body =
      (size: number): RequestListener =>
      (_, response) =>
        void response.writeHead(200, { 'content-length': size }).end(Buffer.alloc(size));
    const chunked =
      (size: number): RequestListener =>
      (_, response) => {
        response.write(Buffer.alloc(size / 2));
        response.end(Buffer.alloc(size / 2));
      };
    for (const listener of [body, chunked]) {
      assert.equal((await read(await serve(listener(10_000)), { local: 'named' })).length, 10_000);
      await assert.rejects(read(await serve(listener(10_002)), { local: 'named' }), coded('CONTENT_TOO_LARGE'));
    }
  });

  test('an endless body ends at the limit', async () => {
    const url = await serve((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384)));
      };
      response.on('drain', more);
      more();
    });
    await assert.rejects(read(url, { local: 'named' }), coded('CONTENT_TOO_LARGE'));
  });

  test('nothing is unpacked: compression is not asked for, and refused', async () => {
    const asked: (string | undefined)[] = [];
    const bomb = zlib.gzipSync(Buffer.alloc(5_000_000));
    const url = await serve((request, response) => {
      asked.push(request.headers['accept-encoding']);
      response.writeHead(200, request.url === '/bomb' ? { 'content-encoding': 'gzip' } : {}).end(bomb);
    });
    assert.ok(bomb.length < limits.maxBytes);
    await assert.rejects(read(`${url}/bomb`, { local: 'named' }), coded('CONTENT_UNREACHABLE'));
    // The control: the same bytes as a file that happens to be compressed.
    assert.deepEqual((await fetchPublic(url, { ...limits, local: 'named' })).bytes, bomb);
    assert.deepEqual(asked, ['identity', 'identity']);
  });

  test('a body that breaks off is none', async () => {
    const url = await serve(
      (_, response) =>
        void response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy()),
    );
    await assert.rejects(read(url, { local: 'named' }), coded('CONTENT_UNREACHABLE'));
  });

  test('silence, before the answer and within, ends in time', async () => {
    const silent = await serve(() => {});
    const dripping = await serve((_, response) => void response.write('a'));
    for (const url of [silent, dripping])
      await assert.rejects(read(url, { local: 'named', timeoutMs: 100 }), coded('CONTENT_UNREACHABLE'));
  });

  test('the caller can stop it', async () => {
    const stop = new AbortController();
    const url = await serve(() => stop.abort());
    await assert.rejects(read(url, { local: 'named', signal: stop.signal }), coded('INTERRUPTED'));
  });

  test('every status but 200 is an error', async () => {
    for (const status of [201, 204, 206, 304, 403, 404, 500]) {
      await assert.rejects(
        read(await serve((_, response) => response.writeHead(status).end()), { local: 'named' }),
        coded('CONTENT_UNREACHABLE'),
        String(status),
      );
    }
  });
});

describe('a name that means something else a moment later', () => {
  // 127.0.0.2 plays the public internet, so that no packet leaves this machine.
  const outsideOnly: AddressRule = (address) => (address === '127.0.0.2' ? null : `${address} is inside`);
  let inside: TestServer;
  let outside: TestServer;
  before(async () => {
    inside = await startServer((_, response) => response.end(SECRET));
    outside = await startServer((_, response) => response.end('public'), { host: '127.0.0.2', port: inside.port });
  });
  after(() => Promise.all([inside.close(), outside.close()]));

  /** Answers once as the checker likes it, and from then on with the inside. */
  const rebinding = (): { resolve: () => Promise<string[]>; asked: () => number } => {
    let count = 0;
    return { resolve: async () => [count++ === 0 ? '127.0.0.2' : '127.0.0.1'], asked: () => count };
  };

  test('reaches the inside where check and connection resolve for themselves (control)', async () => {
    const { resolve } = rebinding();
    const [checked = ''] = await resolve();
    assert.equal(outsideOnly(checked, new URL('http://x/')), null);
    const client = new GuardedClient({ refuse: () => null, resolve });
    const answer = await client.request(new URL(`http://rebinding.example:${inside.port}/`), {
      maxBytes: 1000,
      signal: AbortSignal.timeout(30_000),
    });
    assert.equal(answer.bytes.toString(), SECRET);
    client.close();
  });

  test('reaches only what was checked', async () => {
    const { resolve, asked } = rebinding();
    const client = new GuardedClient({ refuse: outsideOnly, resolve });
    const url = new URL(`http://rebinding.example:${inside.port}/`);
    const request = { maxBytes: 1000, signal: AbortSignal.timeout(30_000) };
    assert.equal((await client.request(url, request)).bytes.toString(), 'public');
    assert.equal(asked(), 1);
    await assert.rejects(client.request(url, request), coded('ADDRESS_REFUSED'));
    client.close();
  });
});

describe('https', () => {
  let port: number;
  let location: string | null = null;
  const server = https.createServer(TEST_CERTIFICATE, (_, response) => {
    if (location === null) response.end('encrypted');
    else response.writeHead(302, { location }).end();
  });
  before(async () => {
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    // A server that listens on a port has an address of this shape.
    ({ port } = server.address() as AddressInfo);
  });
  after(() => {
    tls.setDefaultCACertificates(tls.getCACertificates('bundled'));
    server.closeAllConnections();
    server.close();
  });

  const options = { ...limits, local: 'always', resolve: async () => ['127.0.0.1'] } as const;

  test('believes only certificates that are trusted and of that name', async () => {
    await assert.rejects(fetchPublic(`https://trusted.example:${port}/`, options), coded('CONTENT_UNREACHABLE'));
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), TEST_CERTIFICATE.cert]);
    assert.equal((await fetchPublic(`https://trusted.example:${port}/`, options)).bytes.toString(), 'encrypted');
    await assert.rejects(fetchPublic(`https://other.example:${port}/`, options), coded('CONTENT_UNREACHABLE'));
  });

  test('never redirects to plain http', async () => {
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), TEST_CERTIFICATE.cert]);
    const plain = await startServer((_, response) => response.end('plain'));
    location = plain.url;
    try {
      await assert.rejects(fetchPublic(`https://trusted.example:${port}/`, options), coded('ADDRESS_REFUSED'));
      assert.deepEqual(plain.requests, []);
      assert.equal((await fetchPublic(plain.url, options)).bytes.toString(), 'plain');
    } finally {
      await plain.close();
    }
  });
});

/** The code with which a client refuses a URL under a rule; the text of the answer when it does not. */
async function plainClient(url: string, refuse: AddressRule): Promise<string> {
  const client = new GuardedClient({ refuse });
  try {
    return (
      await client.request(new URL(url), { maxBytes: 1000, signal: AbortSignal.timeout(30_000) })
    ).bytes.toString();
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  } finally {
    client.close();
  }
}
