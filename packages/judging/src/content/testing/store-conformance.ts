import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import type { CID } from 'multiformats/cid';
import { parseContentId } from '../content-id.ts';
import { contentIdOfSource, type ContentStore } from '../content-store.ts';
import { importDirectory } from '../unixfs/import-directory.ts';
import { importFile } from '../unixfs/import-file.ts';
import {
  BlockMaker,
  HONEST_FILES,
  HOSTILE_FILES,
  HOSTILE_LIMIT,
  HOSTILE_NAMES,
  type Plant,
} from './hostile-content.ts';
import { SAMPLE_TREE, sampleBytes, writeSampleTree } from './sample-tree.ts';

export interface StoreFixture {
  store: ContentStore;
  /** Puts bytes under a CID into the backend, past all checks. */
  plant: Plant;
  close(): Promise<void>;
}

/** Registers the tests that every content store has to pass, wherever its blocks come from. */
export function describeStoreConformance(
  name: string,
  open: (directory: string) => Promise<StoreFixture>,
  options: { writable: boolean },
): void {
  describe(`content store: ${name}`, () => {
    let root: string;
    let fixture: StoreFixture;
    before(async () => {
      root = await mkdtemp(join(tmpdir(), 'assay-content-'));
      fixture = await open(join(root, 'backend'));
    });
    after(async () => {
      await fixture.close();
      await rm(root, { recursive: true, force: true });
    });
    const empty = async (): Promise<string> => mkdtemp(join(root, 'out-'));

    describeReading(
      () => fixture,
      empty,
      () => root,
    );
    describeAttacks(() => fixture, empty);
    if (options.writable) describeWriting(() => fixture);
    else {
      test('refuses to store, and says what could', async () => {
        await assert.rejects(fixture.store.put(Buffer.from('x')), coded('BAD_OPTION'));
      });
    }
  });
}

/** Whether an error has a code. */
export function coded(code: string) {
  return (error: unknown): boolean => AssayError.is(error) && error.code === code;
}

function describeReading(fixture: () => StoreFixture, empty: () => Promise<string>, root: () => string): void {
  for (const size of [0, 1, 262_144, 262_145, 700_000]) {
    for (const version of [0, 1] as const) {
      test(`reads ${size} bytes, version ${version}`, async () => {
        const { store, plant } = fixture();
        const content = sampleBytes(size);
        const { cid } = await importFile([content], version, plant);
        assert.ok((await store.get(cid.toString())).equals(content));
        assert.ok((await store.get(cid.toV1().toString())).equals(content));
        assert.equal(await store.has(cid.toString()), true);
      });
    }
  }

  test('reads a directory, and a file by its path', async () => {
    const { store, plant } = fixture();
    const directory = join(root(), 'tree');
    await writeSampleTree(directory);
    const cid = (await importDirectory(directory, 1, plant)).cid.toString();
    const target = await empty();
    await store.exportDirectory(cid, target);
    for (const [path, bytes] of Object.entries(SAMPLE_TREE))
      assert.ok((await readFile(join(target, path))).equals(bytes), path);
    assert.ok((await store.get(cid, { path: 'src/main.ts' })).equals(SAMPLE_TREE['src/main.ts'] ?? Buffer.of()));
    await assert.rejects(store.get(cid, { path: 'src/other.ts' }), coded('CONTENT_NOT_FOUND'));
    await assert.rejects(store.get(cid, { path: 'README.md/below' }), coded('CONTENT_NOT_FOUND'));
    await assert.rejects(store.get(cid), coded('CONTENT_UNSUPPORTED'));
    await assert.rejects(store.exportDirectory(cid, target), (error: unknown) => AssayError.is(error));
  });

  test('says that it has not what it has not', async () => {
    const { cid } = await contentIdOfSource(Buffer.from('nobody stored this'));
    await assert.rejects(fixture().store.get(cid), coded('CONTENT_NOT_FOUND'));
    assert.equal(await fixture().store.has(cid), false);
  });

  test('a missing part of a file is no shorter file', async () => {
    const { store, plant } = fixture();
    const leaves: CID[] = [];
    const { cid } = await importFile(
      [Buffer.concat([sampleBytes(300_000), Buffer.from('unique to this test')])],
      1,
      async (block, bytes) => {
        leaves.push(block);
        if (leaves.length !== 2) await plant(block, bytes);
      },
    );
    await assert.rejects(store.get(cid.toString()), coded('CONTENT_NOT_FOUND'));
  });

  test('takes no more than is asked for', async () => {
    const { store, plant } = fixture();
    for (const version of [0, 1] as const) {
      const cid = (await importFile([sampleBytes(600_001)], version, plant)).cid.toString();
      assert.equal((await store.get(cid, { maxBytes: 600_001 })).length, 600_001);
      await assert.rejects(store.get(cid, { maxBytes: 600_000 }), coded('CONTENT_TOO_LARGE'));
    }
  });

  test('carries the content of identity CIDs', async () => {
    assert.equal((await fixture().store.get('bafkqabtimvwgy3yk')).toString(), 'hello\n');
  });

  test('stops when the caller does', async () => {
    const stop = AbortSignal.abort();
    const { cid } = await importFile([Buffer.from('stopped')], 1, fixture().plant);
    await assert.rejects(fixture().store.get(cid.toString(), { signal: stop }), coded('INTERRUPTED'));
  });
}

function describeAttacks(fixture: () => StoreFixture, empty: () => Promise<string>): void {
  const honest = Buffer.from('the bytes that the CID names');
  const altered: Record<string, Buffer> = {
    'other bytes': Buffer.from('the bytes that somebody likes'),
    'fewer bytes': honest.subarray(0, -1),
    'more bytes': Buffer.concat([honest, honest]),
    'no bytes': Buffer.alloc(0),
  };
  for (const [name, bytes] of Object.entries(altered)) {
    test(`refuses ${name} than the CID names`, async () => {
      const { store, plant } = fixture();
      const { cid } = await importFile([honest], 1, plant);
      assert.ok((await store.get(cid.toString())).equals(honest));
      await plant(cid, bytes);
      await assert.rejects(store.get(cid.toString()), coded('CONTENT_CORRUPT'));
      assert.equal(await store.has(cid.toString()), false);
      await plant(cid, honest);
      assert.ok((await store.get(cid.toString())).equals(honest));
    });
  }

  for (const { name, code, make } of HOSTILE_FILES) {
    test(`refuses a file: ${name}`, async () => {
      const cid = await make(new BlockMaker(fixture().plant));
      await assert.rejects(fixture().store.get(cid.toString(), { maxBytes: HOSTILE_LIMIT }), coded(code));
    });
  }

  for (const { name, size, make } of HONEST_FILES) {
    test(`reads a file (control): ${name}`, async () => {
      const cid = await make(new BlockMaker(fixture().plant));
      assert.equal((await fixture().store.get(cid.toString(), { maxBytes: HOSTILE_LIMIT })).length, size);
    });
  }

  test('writes no unsafe name', async () => {
    const blocks = new BlockMaker(fixture().plant);
    const file = await blocks.raw(Buffer.from('x'));
    for (const name of HOSTILE_NAMES) {
      const parent = await empty();
      const target = join(parent, 'target');
      await mkdir(target);
      const cid = await blocks.directory([{ cid: file, name }]);
      await assert.rejects(
        fixture().store.exportDirectory(cid.toString(), target),
        coded('UNSAFE_PATH'),
        JSON.stringify(name),
      );
      assert.deepEqual(await readdir(parent), ['target'], name);
      assert.deepEqual(await readdir(target), [], name);
    }
    const target = await empty();
    await fixture().store.exportDirectory(
      (await blocks.directory([{ cid: file, name: 'fine..txt' }])).toString(),
      target,
    );
    assert.deepEqual(await readdir(target), ['fine..txt']);
  });

  test('refuses two entries of one name', async () => {
    const blocks = new BlockMaker(fixture().plant);
    const [a, b] = [await blocks.raw(Buffer.from('a')), await blocks.raw(Buffer.from('b'))];
    const cid = await blocks.directory([
      { cid: a, name: 'n' },
      { cid: b, name: 'n' },
    ]);
    await assert.rejects(fixture().store.exportDirectory(cid.toString(), await empty()), coded('CONTENT_UNSUPPORTED'));
  });

  test('makes no more entries and bytes than are asked for, however few blocks name them', async () => {
    const blocks = new BlockMaker(fixture().plant);
    let cid = await blocks.raw(Buffer.alloc(1000));
    for (let level = 0; level < 6; level += 1)
      cid = await blocks.directory(Array.from({ length: 10 }, (_, index) => ({ cid, name: `${index}` })));
    await assert.rejects(
      fixture().store.exportDirectory(cid.toString(), await empty(), { maxEntries: 100 }),
      coded('CONTENT_UNSUPPORTED'),
    );
    await assert.rejects(
      fixture().store.exportDirectory(cid.toString(), await empty(), { maxBytes: 50_000 }),
      coded('CONTENT_TOO_LARGE'),
    );
  });

  for (const [name, text] of Object.entries({
    'another codec': 'bafyreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
    'another hash':
      'bafkrgqhhyivzstcz3hhswshfjgy6ertgmnqeleynhwt4dlfsthi4hn7zgh4uvlsb5xncykzapi3ocd4lzogukir6ksdy6wzrnz6ohnv4aglcs',
  })) {
    test(`refuses ${name}`, async () => {
      await assert.rejects(fixture().store.get(text), coded('CONTENT_UNSUPPORTED'));
    });
  }

  test('refuses what is no CID', async () => {
    for (const text of [
      '',
      'x',
      'Qm',
      '../../etc/passwd',
      'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyk1',
      `b${'a'.repeat(100_000)}`,
    ]) {
      await assert.rejects(fixture().store.get(text), coded('CONTENT_REFERENCE_INVALID'), text.slice(0, 50));
    }
  });
}

function describeWriting(fixture: () => StoreFixture): void {
  for (const cidVersion of [0, 1] as const) {
    test(`stores and reads again, version ${cidVersion}`, async () => {
      const { store } = fixture();
      const content = Buffer.concat([sampleBytes(600_000), Buffer.from('stored by a test')]);
      const stored = await store.put(content, { cidVersion });
      assert.deepEqual(stored, await contentIdOfSource(content, cidVersion));
      assert.equal(parseContentId(stored.cid).version, cidVersion);
      assert.ok((await store.get(stored.cid)).equals(content));
    });
  }

  test('storing again mends what was damaged', async () => {
    const { store, plant } = fixture();
    const content = Buffer.from('to be damaged and mended');
    const { cid } = await store.put(content);
    await plant(parseContentId(cid), Buffer.from('damage'));
    await assert.rejects(store.get(cid), coded('CONTENT_CORRUPT'));
    await store.put(content);
    assert.ok((await store.get(cid)).equals(content));
  });
}
