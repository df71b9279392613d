import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { openAdvisories, type ReadRecord } from './read-advisories.ts';

const good = (id: string): string => JSON.stringify({ id, affected: [] });
const all = async (source: string): Promise<ReadRecord[]> => Array.fromAsync(await openAdvisories(source));
const ids = (read: ReadRecord[]): string[] => read.flatMap((each) => ('record' in each ? [each.record.id] : [])).sort();
const refused =
  (code: string, pattern: RegExp) =>
  (error: unknown): true => {
    assert.ok(AssayError.is(error), String(error));
    assert.equal(error.code, code);
    assert.equal(error.kind, 'user');
    assert.match(error.message, pattern);
    return true;
  };

describe('openAdvisories', () => {
  let directory = '';
  const servers: Server[] = [];
  const serve = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const place = async (name: string, files: Record<string, string>): Promise<string> => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(directory, name, path, '..'), { recursive: true });
      await writeFile(join(directory, name, path), text);
    }
    return join(directory, name);
  };
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-osv-'));
  });
  after(async () => {
    await Promise.all(
      servers.map(
        (server) =>
          new Promise((resolve) => {
            server.closeAllConnections();
            server.close(resolve);
          }),
      ),
    );
    await rm(directory, { recursive: true, force: true });
  });

  test('a file of one record, of several, and one that is bad', async () => {
    const place1 = await place('files', {
      'one.json': good('CVE-1-1'),
      'two.json': `[${good('CVE-1-1')},${good('CVE-1-2')}]`,
      'bad.json': `[${good('CVE-1-1')},{}]`,
      'latin.json': '',
    });
    assert.deepEqual(ids(await all(join(place1, 'one.json'))), ['CVE-1-1']);
    assert.deepEqual(ids(await all(join(place1, 'two.json'))), ['CVE-1-1', 'CVE-1-2']);
    await assert.rejects(all(join(place1, 'bad.json')), refused('ADVISORY_INVALID', /bad\.json.*1\.id/));
    await writeFile(join(place1, 'latin.json'), Buffer.from([0x22, 0xff, 0x22]));
    await assert.rejects(all(join(place1, 'latin.json')), refused('ADVISORY_INVALID', /no UTF-8/));
  });

  test('of a directory, bad files are left out and told', async () => {
    const source = await place('mixed', {
      'a.json': good('CVE-1-1'),
      'deep/er/b.json': good('CVE-1-2'),
      'bad.json': '{',
      'README.md': 'x',
      'huge.json': `{"id":"CVE-1-3","x":"${'x'.repeat(5_000_000)}"}`,
      '.git/c.json': good('CVE-1-4'),
    });
    const read = await all(source);
    assert.deepEqual(ids(read), ['CVE-1-1', 'CVE-1-2']);
    assert.deepEqual(
      read.flatMap((each) => ('refused' in each ? [/(\w+)\.json is no usable/.exec(each.refused)?.[1]] : [])).sort(),
      ['bad', 'huge'],
    );
  });

  test('a directory without one good record is refused', async () => {
    await assert.rejects(
      all(await place('broken', { 'a.json': '{', 'b.json': '[' })),
      refused('ADVISORY_INVALID', /no JSON/),
    );
    await assert.rejects(all(await place('none', { 'a.txt': '' })), refused('ADVISORY_UNREADABLE', /no \*\.json/));
  });

  test('no link in a directory is followed', async () => {
    const source = await place('links', { 'a.json': good('CVE-1-1') });
    const outside = await place('outside', { 'b.json': good('CVE-1-2') });
    await symlink(join(outside, 'b.json'), join(source, 'b.json'));
    await symlink(outside, join(source, 'inner'));
    await symlink('/dev/zero', join(source, 'zero.json'));
    assert.deepEqual(ids(await all(source)), ['CVE-1-1']);
  });

  test('an address', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/record' }).end();
      else if (request.url === '/record') response.end(good('CVE-1-1'));
      else if (request.url === '/bad') response.end('<html>');
      else if (request.url === '/endless')
        response.write('['.repeat(1024 * 1024), function more() {
          if (!response.destroyed) response.write('['.repeat(1024 * 1024), more);
        });
      else response.writeHead(404).end();
    });
    assert.deepEqual(ids(await all(`${url}/record`)), ['CVE-1-1']);
    assert.deepEqual(ids(await all(`${url}/moved`)), ['CVE-1-1']);
    await assert.rejects(all(`${url}/bad`), refused('ADVISORY_INVALID', /no JSON/));
    await assert.rejects(all(`${url}/endless`), refused('CONTENT_TOO_LARGE', /larger than/));
    await assert.rejects(all(`${url}/missing`), refused('ADVISORY_UNREADABLE', /it answered 404/));
    const elsewhere = await serve((_, response) => response.writeHead(302, { location: `${url}/record` }).end());
    await assert.rejects(all(elsewhere), refused('ADDRESS_REFUSED', /no public address/));
    await assert.rejects(
      all('http://user:hunter2@127.0.0.1:1/x'),
      (error: unknown) => AssayError.is(error) && !error.message.includes('hunter2'),
    );
  });

  test('what is neither', async () => {
    for (const source of [
      join(directory, 'missing'),
      'ext::sh -c id',
      'file:///etc/passwd',
      'ftp://host/x',
      '/dev/zero',
      '--upload-pack=x',
      '',
      'a\0b',
    ])
      await assert.rejects(all(source), refused('ADVISORY_UNREADABLE', /cannot read advisories/), source);
  });
});
