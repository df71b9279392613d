import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runCommand } from '@assay/sandbox';
import type { ContentStore } from './content-store.ts';
import { fetchContent, type FetchContentOptions } from './fetch-content.ts';
import { openContentStore } from './open-content-store.ts';
import { coded } from './testing/store-conformance.ts';
import { startServer } from './testing/test-server.ts';

const content = Buffer.from('{"type":"checklist"}');
const sha256 = createHash('sha256').update(content).digest('hex');

describe('fetchContent', () => {
  let root: string;
  let store: ContentStore;
  let cid: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'assay-content-'));
    store = openContentStore({ directory: join(root, 'store'), environment: {} });
    ({ cid } = await store.put(content));
  });
  after(() => rm(root, { recursive: true, force: true }));

  const options = (more: Partial<FetchContentOptions> = {}): FetchContentOptions => ({
    store,
    maxBytes: 1000,
    ...more,
  });

  test('by CID, by path below one, and by sha256', async () => {
    assert.deepEqual(await fetchContent(cid, options()), { bytes: content, sha256, cid });
    assert.deepEqual(await fetchContent(`ipfs://${cid}`, options()), { bytes: content, sha256, cid });
    assert.deepEqual(await fetchContent(`sha256:${sha256}`, options()), { bytes: content, sha256, cid });
    const directory = await mkdtemp(join(root, 'directory-'));
    await writeFile(join(directory, 'standard.json'), content);
    const tree = (await store.put({ directory })).cid;
    assert.deepEqual(await fetchContent(`ipfs://${tree}/standard.json`, options()), {
      bytes: content,
      sha256,
      cid: tree,
    });
  });

  test('inline', async () => {
    assert.deepEqual(await fetchContent(`eval:${content.toString('base64')}`, options()), {
      bytes: content,
      sha256,
      cid: null,
    });
  });

  test('a file, if the user named it', async () => {
    const path = join(root, 'standard.json');
    await writeFile(path, content);
    assert.deepEqual(await fetchContent(path, options({ allowLocal: true })), { bytes: content, sha256, cid: null });
    for (const reference of [path, `file://${path}`, '/etc/passwd', '../../etc/passwd'])
      await assert.rejects(fetchContent(reference, options()), coded('ADDRESS_REFUSED'));
  });

  test('a URL of this machine, if the user named it', async () => {
    const server = await startServer((_, response) => response.end(content));
    try {
      assert.deepEqual(await fetchContent(server.url, options({ allowLocal: true })), {
        bytes: content,
        sha256,
        cid: null,
      });
      for (const url of [server.url, server.url.replace('http:', 'https:')])
        await assert.rejects(fetchContent(url, options()), coded('ADDRESS_REFUSED'));
      assert.equal(server.requests.length, 1);
    } finally {
      await server.close();
    }
  });

  test('never more than is asked for, from anywhere', async () => {
    const path = join(root, 'large');
    await writeFile(path, content);
    const server = await startServer((_, response) => response.end(content));
    try {
      for (const reference of [cid, `eval:${content.toString('base64')}`, path, server.url]) {
        assert.equal(
          (await fetchContent(reference, options({ maxBytes: content.length, allowLocal: true }))).bytes.length,
          content.length,
        );
        await assert.rejects(
          fetchContent(reference, options({ maxBytes: content.length - 1, allowLocal: true })),
          coded('CONTENT_TOO_LARGE'),
          reference,
        );
      }
      await truncate(path, 2 ** 40);
      await assert.rejects(fetchContent(path, options({ allowLocal: true })), coded('CONTENT_TOO_LARGE'));
    } finally {
      await server.close();
    }
  });

  test('files that are none', async () => {
    const pipe = join(root, 'pipe');
    assert.equal((await runCommand(['mkfifo', pipe])).exitCode, 0);
    for (const path of [pipe, root, join(root, 'absent'), '/dev/zero'])
      await assert.rejects(fetchContent(path, options({ allowLocal: true })), coded('CONTENT_UNREADABLE'), path);
  });
});
