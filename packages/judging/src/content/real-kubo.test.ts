import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AssayError } from '@assay/protocol';
import { runCommand } from '@assay/sandbox';
import { contentIdOfSource, createContentStore, type ContentStore } from './content-store.ts';
import { openContentStore } from './open-content-store.ts';
import { GatewayBlocks } from './sources/gateway-blocks.ts';
import { KUBO_FILES } from './testing/kubo-vectors.ts';
import { SAMPLE_TREE, sampleBytes, writeSampleTree } from './testing/sample-tree.ts';

const binary = findKubo();

if (binary === null) {
  // Not a skip: what Kubo answered is in kubo-vectors.ts and is tested everywhere; this asks it again where it is.
  test('a live comparison needs `ipfs` on the PATH or in $ASSAY_KUBO', (context) =>
    context.diagnostic('there is no Kubo here; compared with its recorded CIDs only'));
} else {
  describe(`Kubo, live (${binary})`, () => compareWith(binary));
}

function compareWith(ipfs: string): void {
  let root: string;
  let api: string;
  let gateway: string;
  const stop = new AbortController();
  let daemon: Promise<unknown> = Promise.resolve();

  const kubo = async (...parameters: string[]): Promise<string> => {
    const { stdout, stderr, exitCode } = await runCommand([ipfs, ...parameters], {
      env: { IPFS_PATH: join(root, 'repo'), HOME: root },
    });
    assert.equal(exitCode, 0, stderr.toString());
    return stdout.toString().trim();
  };

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'assay-kubo-'));
    await kubo('init', '-p', 'test');
    await kubo('config', 'Addresses.API', '/ip4/127.0.0.1/tcp/0');
    await kubo('config', 'Addresses.Gateway', '/ip4/127.0.0.1/tcp/0');
    await kubo('config', '--json', 'Addresses.Swarm', '[]');
    daemon = runCommand([ipfs, 'daemon', '--offline'], {
      env: { IPFS_PATH: join(root, 'repo'), HOME: root },
      signal: stop.signal,
    }).catch(() => {});
    const [, port] = /\/tcp\/(\d+)/.exec(await whenThere(join(root, 'repo', 'api'))) ?? [];
    api = `http://127.0.0.1:${port}`;
    gateway = (await whenThere(join(root, 'repo', 'gateway'))).trim();
  });
  after(async () => {
    stop.abort();
    await daemon;
    await rm(root, { recursive: true, force: true });
  });

  const overKubo = (): ContentStore => openContentStore({ directory: null, kubo: api, gateways: [], environment: {} });
  const overGateway = (url: string): ContentStore =>
    createContentStore({ sources: [new GatewayBlocks(new URL(url))], keepers: [] });

  for (const { name, bytes } of KUBO_FILES) {
    test(`the same CIDs: ${name}`, async () => {
      const file = join(root, 'file');
      await writeFile(file, bytes());
      for (const version of [0, 1] as const)
        assert.equal(
          (await contentIdOfSource({ file }, version)).cid,
          await kubo('add', '-Q', '-n', `--cid-version=${version}`, file),
        );
    });
  }

  test('the same CIDs: a directory', async () => {
    const directory = join(root, 'tree');
    await writeSampleTree(directory);
    for (const version of [0, 1] as const)
      assert.equal(
        (await contentIdOfSource({ directory }, version)).cid,
        await kubo('add', '-Q', '-r', '-n', `--cid-version=${version}`, directory),
      );
  });

  test('a directory that Kubo shards is refused by both ways', async () => {
    const directory = join(root, 'many');
    await mkdir(directory);
    const name = (index: number): string => join(directory, `${String(index).padStart(5, '0')}-${'n'.repeat(194)}`);
    // 200 bytes of name and 36 of CID: 1110 of them are 261,960 bytes, one more entry is still within 262,144 no more.
    for (let index = 0; index < 1110; index += 1) await writeFile(name(index), '');
    assert.equal(
      (await contentIdOfSource({ directory })).cid,
      await kubo('add', '-Q', '-r', '-n', '--cid-version=1', directory),
    );
    await writeFile(name(1110), '');
    const refused = (error: unknown): boolean => AssayError.is(error) && error.code === 'CONTENT_UNSUPPORTED';
    await assert.rejects(contentIdOfSource({ directory }), refused);
    const sharded = await kubo('add', '-Q', '-r', '--cid-version=1', directory);
    await assert.rejects(overKubo().exportDirectory(sharded, join(root, 'unused')), refused);
  });

  test('what we store there Kubo reads, and has pinned', async () => {
    const content = sampleBytes(700_000);
    for (const cidVersion of [0, 1] as const) {
      const { cid } = await overKubo().put(content, { cidVersion });
      const { stdout } = await runCommand([ipfs, 'cat', cid], { env: { IPFS_PATH: join(root, 'repo'), HOME: root } });
      assert.ok(stdout.equals(content));
      assert.match(await kubo('pin', 'ls', '--type=recursive', cid), /recursive/);
    }
  });

  test('what Kubo stores comes out by RPC and by its gateway', async () => {
    const file = join(root, 'file');
    await writeFile(file, sampleBytes(1_000_000));
    const directory = join(root, 'tree');
    await writeSampleTree(directory);
    const stores = {
      rpc: overKubo(),
      gateway: overGateway(gateway),
      subdomains: overGateway(gateway.replace('127.0.0.1', 'localhost')),
    };
    for (const version of [0, 1] as const) {
      const cid = await kubo('add', '-Q', `--cid-version=${version}`, file);
      const tree = await kubo('add', '-Q', '-r', `--cid-version=${version}`, directory);
      for (const [name, store] of Object.entries(stores)) {
        assert.ok((await store.get(cid)).equals(sampleBytes(1_000_000)), name);
        const target = await mkdtemp(join(root, 'out-'));
        assert.equal((await store.exportDirectory(tree, target)).files, Object.keys(SAMPLE_TREE).length, name);
        assert.ok((await readFile(join(target, 'big.bin'))).equals(await readFile(join(directory, 'big.bin'))), name);
      }
    }
  });

  test('what nobody has is not found', async () => {
    const { cid } = await contentIdOfSource(Buffer.from('never stored anywhere'));
    for (const store of [overKubo(), overGateway(gateway)]) {
      await assert.rejects(
        store.get(cid),
        (error: unknown) => AssayError.is(error) && error.code === 'CONTENT_NOT_FOUND',
      );
      assert.equal(await store.has(cid), false);
    }
  });
}

async function whenThere(path: string): Promise<string> {
  for (let waited = 0; waited < 60_000; waited += 100) {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (text !== '') return text;
    await sleep(100);
  }
  throw new Error(`the daemon did not start: no ${path}`);
}

function findKubo(): string | null {
  const given = process.env['ASSAY_KUBO'];
  if (given) return given;
  const folder = (process.env['PATH'] ?? '').split(delimiter).find((directory) => existsSync(join(directory, 'ipfs')));
  return folder === undefined ? null : join(folder, 'ipfs');
}
