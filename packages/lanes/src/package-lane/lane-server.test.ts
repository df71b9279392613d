import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mkdir, stat } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { PackageLane } from './contract.ts';
import { splitPath } from './lane-server.ts';
import { openPackageLane } from './package-lane.ts';
import { LaneFixture, sendRaw } from './testing/lane-fixture.ts';
import { makeWheel, sha256 } from './testing/python-files.ts';

const statusOf = (answer: string): string => answer.split(' ')[1] ?? '';
const get = (target: string, host = 'lane'): string =>
  `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

describe('a client of a lane', () => {
  let fixture: LaneFixture;
  let lane: PackageLane;
  let origin: string;
  let port: number;
  before(async () => {
    fixture = await LaneFixture.start();
    const bytes = makeWheel('demo', '1.0');
    fixture.upstream.routes.set('/demo/', {
      body: `<a href="/f/demo-1.0-py3-none-any.whl#sha256=${sha256(bytes)}" data-upload-time="2019-01-01T00:00:00Z">demo-1.0-py3-none-any.whl</a>`,
    });
    fixture.upstream.routes.set('/f/demo-1.0-py3-none-any.whl', { body: bytes });
    fixture.upstream.routes.set('/secret', { body: 'secret' });
    ({ lane, origin, port } = await fixture.open({ kind: 'pypi' }));
  });
  after(() => fixture.stop());

  test('control: reaches the index and a file, by GET and HEAD', async () => {
    assert.equal(statusOf(await sendRaw(port, get('/simple/demo/'))), '200');
    const file = await fetch(`${origin}/packages/demo/demo-1.0-py3-none-any.whl`, { method: 'HEAD' });
    assert.deepEqual(
      [file.status, Number(file.headers.get('content-length')), (await file.arrayBuffer()).byteLength],
      [200, makeWheel('demo', '1.0').length, 0],
    );
  });

  test('cannot use it as a proxy: absolute target, CONNECT, upgrade', async () => {
    const upstream = fixture.upstream.url;
    const before = fixture.upstream.requests.length;
    for (const request of [
      get(`${upstream.origin}/secret`),
      get(`http://example.invalid/simple/demo/`),
      get(`//${upstream.host}/secret`),
      `CONNECT ${upstream.host} HTTP/1.1\r\nHost: ${upstream.host}\r\n\r\n`,
      `CONNECT ${upstream.host} HTTP/1.1\r\nHost: ${upstream.host}\r\n\r\n${get('/secret', upstream.host)}`,
      `GET /simple/demo/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    ]) {
      const answer = await sendRaw(port, request);
      assert.equal(statusOf(answer), '403', request);
      assert.match(answer, /no proxy/);
      assert.ok(!answer.includes('secret'));
    }
    assert.equal(fixture.upstream.requests.length, before);
  });

  test('cannot leave the paths of the index', async () => {
    const before = fixture.upstream.requests.length;
    for (const target of [
      '/',
      '/secret',
      '/simple/',
      '/simple/../secret',
      '/simple/%2e%2e/secret',
      '/simple/..%2fsecret/',
      '/simple/demo%2f..%2f..%2fsecret/',
      '/simple/demo/../../secret',
      '/packages/demo/..%2f..%2f..%2fetc%2fpasswd',
      '/packages/demo/%00',
      '/packages/demo/demo-1.0-py3-none-any.whl%00.metadata',
      '/packages/../secret',
      '/simple/demo?x=1',
      '/simple/demo/#x',
      '/simple\\demo',
      '/simple/%',
      '/simple/a b/',
      `/simple/${'a'.repeat(3000)}/`,
      '/simple/demo/demo-1.0-py3-none-any.whl',
      '/simple//demo/',
      '/packages/demo/x/y',
    ]) {
      const answer = await sendRaw(port, get(target));
      assert.match(statusOf(answer), /^40[034]$/, `${target}: ${answer}`);
      assert.ok(!answer.includes('root:') && !answer.endsWith('secret'));
    }
    const asked = fixture.upstream.requests.slice(before).map(({ path }) => path);
    assert.deepEqual(
      asked.filter((path) => path !== '/demo/'),
      [],
    );
  });

  test('cannot change anything: every method but GET and HEAD is refused', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND', 'TRACE']) {
      const answer = await sendRaw(
        port,
        `${method} /simple/demo/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nConnection: close\r\n\r\ndata`,
      );
      assert.equal(statusOf(answer), '403', method);
    }
    assert.equal(statusOf(await sendRaw(port, 'NONSENSE\r\n\r\n')), '400');
  });

  test('cannot steer answers by the Host header, nor smuggle a request behind a body', async () => {
    for (const host of ['evil.invalid', fixture.upstream.url.host, '127.0.0.1:1']) {
      const answer = await sendRaw(port, get('/simple/demo/', host));
      assert.ok(answer.includes(`${origin}/packages/`) && !answer.includes(host));
    }
    const upstreamHosts = fixture.upstream.requests.map(({ headers }) => headers.host);
    assert.ok(upstreamHosts.every((host) => host === fixture.upstream.url.host));
    const smuggled = await sendRaw(
      port,
      `PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 400\r\n\r\n${get('/simple/demo/')}`,
    );
    assert.equal(smuggled.match(/HTTP\/1\.1/g)?.length, 1);
    const both = await sendRaw(
      port,
      `POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${get('/simple/demo/')}`,
    );
    assert.equal(statusOf(both), '400');
  });

  test('none of its headers reaches the upstream', async () => {
    const { port: fresh } = await fixture.open({ kind: 'pypi', cacheDirectory: await fixture.newDirectory() });
    const before = fixture.upstream.requests.length;
    await sendRaw(
      fresh,
      `GET /simple/demo/ HTTP/1.1\r\nHost: x\r\nCookie: a=b\r\nAuthorization: Bearer z\r\nX-Out: data\r\nConnection: close\r\n\r\n`,
    );
    const [asked] = fixture.upstream.requests.slice(before);
    assert.ok(asked);
    for (const name of ['cookie', 'authorization', 'x-out']) assert.equal(asked.headers[name], undefined);
  });

  test('every request is on record', () => {
    assert.ok(lane.records.some((record) => record.method === 'CONNECT' && record.status === 403));
    assert.ok(
      lane.records.some((record) => record.path === '/simple/demo/' && record.status === 200 && record.bytes > 0),
    );
  });

  test('hears of an upstream that hangs or floods, and gets nothing of it', async () => {
    const page =
      '<a href="/f/big-1.0.tar.gz#sha256=' +
      'a'.repeat(64) +
      '" data-upload-time="2019-01-01T00:00:00Z">big-1.0.tar.gz</a>';
    fixture.upstream.routes.set('/hanging/', { body: page, hang: 'in-body' });
    fixture.upstream.routes.set('/big/', { body: page });
    fixture.upstream.routes.set('/f/big-1.0.tar.gz', { body: Buffer.alloc(3000) });
    const { origin: small, lane: recorder } = await fixture.open({
      kind: 'pypi',
      limits: { indexBytes: 2000, artefactBytes: 2000, idleMs: 100, attempts: 1 },
    });
    assert.equal((await fetch(`${small}/simple/hanging/`)).status, 504);
    assert.equal((await fetch(`${small}/simple/big/`)).status, 200);
    assert.equal((await fetch(`${small}/packages/big/big-1.0.tar.gz`)).status, 502);
    fixture.upstream.routes.set('/hanging/', { body: page.replaceAll('big', 'hanging') });
    assert.equal((await fetch(`${small}/simple/hanging/`)).status, 200);
    assert.deepEqual(
      recorder.records.map(({ status, note }) => [status, note?.includes('upstream') ?? false]),
      [
        [504, true],
        [200, false],
        [502, true],
        [200, false],
      ],
    );
  });

  test('is cut off after the limit of requests', async () => {
    const { origin: limited } = await fixture.open({ kind: 'pypi', limits: { requests: 2 } });
    const statuses = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await fetch(`${limited}/simple/demo/`)).status);
    assert.deepEqual(statuses, [200, 200, 429]);
  });
});

test('a closed lane leaves nothing', async () => {
  const fixture = await LaneFixture.start();
  try {
    fixture.upstream.routes.set('/slow/', { hang: 'at-once' });
    const lane = await openPackageLane({
      kind: 'pypi',
      cutoff: new Date(),
      exclude: [],
      origin: 'http://127.0.0.1:1',
      cacheDirectory: fixture.directory,
      upstream: { url: fixture.upstream.url, certificates: [] },
    });
    assert.ok((await stat(lane.socket)).isSocket());
    const pending = new Promise((resolve) =>
      http.get({ socketPath: lane.socket, path: '/simple/slow/' }, resolve).on('error', resolve),
    );
    while (fixture.upstream.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await lane.close();
    await pending;
    await assert.rejects(stat(lane.socket), { code: 'ENOENT' });
    await lane.close();
  } finally {
    await fixture.stop();
  }
});

test('what a killed process left is gone when the next lane opens', async () => {
  const fixture = await LaneFixture.start();
  const { pid = 0 } = spawnSync('true');
  const left = [
    join(tmpdir(), `assay-lane-${pid}-abcdef`),
    join(fixture.directory, 'cache', 'artefacts', 'drafts', `${pid}.ab`),
    join(fixture.directory, 'cache', 'indexes', 'drafts', `${pid}.ab`),
  ];
  const mine = join(fixture.directory, 'cache', 'artefacts', 'drafts', `${process.pid}.ab`);
  try {
    for (const directory of [...left, mine]) await mkdir(directory, { recursive: true });
    await fixture.open({ kind: 'pypi' });
    for (const directory of left) await assert.rejects(stat(directory), { code: 'ENOENT' });
    assert.ok(await stat(mine));
  } finally {
    await fixture.stop();
  }
});

test('splitPath decodes what an index needs and refuses all else', () => {
  assert.deepEqual(splitPath('/'), []);
  assert.deepEqual(splitPath('/simple/a.b/'), ['simple', 'a.b']);
  assert.deepEqual(splitPath('/@a%2fb'), ['@a', 'b']);
  assert.deepEqual(splitPath('/%40a%2Fb/-/b-1.0.0%2Bx.tgz'), ['@a', 'b', '-', 'b-1.0.0+x.tgz']);
  for (const target of [
    '',
    'x',
    '*',
    '//x',
    'http://x/',
    '/..',
    '/a/../b',
    '/a/%2e%2e',
    '/@a%2f..',
    '/a%2fb',
    '/@a%2fb%2fc',
    '/a?b',
    '/a b',
    '/%ff',
    '/%00',
  ]) {
    assert.equal(typeof splitPath(target), 'string', target);
  }
});
