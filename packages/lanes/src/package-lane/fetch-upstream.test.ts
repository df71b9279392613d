import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { AssayError } from '@assay/protocol';
import { ArtefactCache } from './artefact-cache.ts';
import { DEFAULT_LANE_LIMITS, type LaneLimits } from './contract.ts';
import { UpstreamClient } from './fetch-upstream.ts';
import { FixtureUpstream, LaneFixture } from './testing/lane-fixture.ts';
import { parseUpstream } from './upstream.ts';

const failsWith = (status: number, words: RegExp) => (error: unknown) =>
  AssayError.is(error) &&
  error.code === 'LANE_FAILED' &&
  error.details['status'] === status &&
  words.test(error.message);

describe('reading from an upstream', () => {
  let fixture: LaneFixture;
  let other: FixtureUpstream;
  before(async () => {
    fixture = await LaneFixture.start();
    other = await FixtureUpstream.start();
  });
  after(async () => {
    await other.stop();
    await fixture.stop();
  });

  async function read(
    path: string,
    limits: Partial<LaneLimits> = {},
    address = fixture.upstream.url.href,
  ): Promise<string | null> {
    const client = new UpstreamClient('pypi', parseUpstream('pypi', address, []), {
      ...DEFAULT_LANE_LIMITS,
      ...limits,
    });
    try {
      return (await client.document(new URL(path, client.upstream.url), '*/*'))?.body.toString() ?? null;
    } finally {
      client.close();
    }
  }
  const asked = (path: string): number => fixture.upstream.requests.filter((request) => request.path === path).length;

  test('passing faults are tried again, until they pass or it is too often', async () => {
    fixture.upstream.routes.set('/busy', (_request, attempt) =>
      attempt === 1
        ? { status: 429, headers: { 'retry-after': '0' } }
        : attempt === 2
          ? { status: 503 }
          : { body: 'good' },
    );
    assert.equal(await read('/busy'), 'good');
    fixture.upstream.routes.set('/down', { status: 500 });
    await assert.rejects(read('/down', { attempts: 2 }), failsWith(502, /answered 500/));
    assert.equal(asked('/down'), 2);
    fixture.upstream.routes.set('/forbidden', { status: 403 });
    await assert.rejects(read('/forbidden'), failsWith(502, /answered 403/));
    assert.equal(asked('/forbidden'), 1);
    assert.equal(await read('/missing'), null);
  });

  test('a connection cut in the middle is tried again', async () => {
    fixture.upstream.routes.set('/cut', (request, attempt) => {
      if (attempt > 1) return { body: 'whole' };
      setTimeout(() => request.socket.destroy(), 20);
      return { body: 'ha', hang: 'in-body' };
    });
    assert.equal(await read('/cut'), 'whole');
  });

  test('an upstream that falls silent, before or in the body, is given up', async () => {
    fixture.upstream.routes.set('/silent', { hang: 'at-once' });
    fixture.upstream.routes.set('/stalled', { body: 'begin', hang: 'in-body' });
    for (const path of ['/silent', '/stalled']) {
      await assert.rejects(read(path, { idleMs: 100, attempts: 2 }), failsWith(504, /silent/));
      assert.equal(asked(path), 2);
    }
    fixture.upstream.routes.set('/stalled', { body: 'whole' });
    assert.equal(await read('/stalled', { attempts: 1 }), 'whole');
  });

  test('an answer over the limit is given up, packed or not', async () => {
    fixture.upstream.routes.set('/large', { body: Buffer.alloc(5000) });
    fixture.upstream.routes.set('/bomb', {
      body: gzipSync(Buffer.alloc(5_000_000)),
      headers: { 'content-encoding': 'gzip' },
    });
    for (const path of ['/large', '/bomb'])
      await assert.rejects(read(path, { indexBytes: 4999 }), failsWith(502, /larger than 4999/));
    assert.equal((await read('/large', { indexBytes: 5000 }))?.length, 5000);
    assert.equal((await read('/bomb', { indexBytes: 5_000_000 }))?.length, 5_000_000);
    assert.equal(asked('/large'), 2);
  });

  test('redirects are followed, a few; credentials stay at home', async () => {
    const address = fixture.upstream.url.href.replace('//', '//user:p%40ss@');
    fixture.upstream.routes.set('/here', { status: 302, headers: { location: '/there' } });
    fixture.upstream.routes.set('/there', { status: 301, headers: { location: `${other.url.origin}/away` } });
    other.routes.set('/away', { body: 'arrived' });
    assert.equal(await read('/here', {}, address), 'arrived');
    const sent = fixture.upstream.requests.find((request) => request.path === '/there')?.headers.authorization;
    assert.equal(sent, `Basic ${Buffer.from('user:p@ss').toString('base64')}`);
    assert.equal(other.requests[0]?.headers.authorization, undefined);
    fixture.upstream.routes.set('/round', { status: 302, headers: { location: '/round' } });
    await assert.rejects(read('/round'), failsWith(502, /redirects/));
    fixture.upstream.routes.set('/file', { status: 302, headers: { location: 'file:///etc/passwd' } });
    await assert.rejects(read('/file'), failsWith(502, /redirect to no http/));
  });

  test('errors hold neither address nor credentials', async () => {
    const address = fixture.upstream.url.href.replace('//', '//user:hunter2@');
    fixture.upstream.routes.set('/broken', { status: 500 });
    await assert.rejects(
      read('/broken', { attempts: 1 }, address),
      (error) => error instanceof Error && !/hunter2|127\.0\.0\.1/.test(error.message),
    );
    await assert.rejects(
      read('/x', { attempts: 1 }, 'http://user:hunter2@127.0.0.1:1/'),
      (error) => error instanceof Error && /ECONNREFUSED/.test(error.message) && !/hunter2|127/.test(error.message),
    );
  });

  test('an artefact is kept once, whoever asks at the same time, and never half', async () => {
    const bytes = Buffer.from('artefact');
    const hash = { algorithm: 'sha256' as const, hex: createHash('sha256').update(bytes).digest('hex') };
    fixture.upstream.routes.set('/artefact', { body: bytes });
    fixture.upstream.routes.set('/wrong', { body: 'something else' });
    const client = new UpstreamClient('pypi', { url: fixture.upstream.url, certificates: [] }, DEFAULT_LANE_LIMITS);
    const directory = join(fixture.directory, 'kept');
    const cache = new ArtefactCache(directory);
    await cache.open();
    try {
      await assert.rejects(
        cache.get(client, new URL('/wrong', fixture.upstream.url), hash, 1000),
        failsWith(502, /sha256/),
      );
      await assert.rejects(
        cache.get(client, new URL('/artefact', fixture.upstream.url), hash, 3),
        failsWith(502, /larger than 3/),
      );
      assert.deepEqual(await readdir(join(directory, 'artefacts')), ['drafts']);
      const before = asked('/artefact');
      const found = await Promise.all(
        Array.from({ length: 5 }, () => cache.get(client, new URL('/artefact', fixture.upstream.url), hash, 1000)),
      );
      assert.deepEqual(
        found,
        Array.from({ length: 5 }, () => ({ path: join(directory, 'artefacts', `sha256-${hash.hex}`), size: 8 })),
      );
      assert.equal(asked('/artefact'), before + 1);
      assert.deepEqual(await readdir(join(directory, 'artefacts', 'drafts')), []);
    } finally {
      client.close();
    }
  });
});
