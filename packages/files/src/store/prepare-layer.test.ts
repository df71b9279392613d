import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { packDirectory } from '../tar.ts';
import { takeLease } from './lease-file.ts';
import { prepareLayer } from './prepare-layer.ts';

describe('an interruption', () => {
  let directory = '';
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-layer-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));
  const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

  test('ends the wait for another process that builds the layer, which goes on', async () => {
    await mkdir(join(directory, 'layers'), { recursive: true });
    const lease = await takeLease(join(directory, 'layers', 'wanted.lock'));
    assert.ok('release' in lease);
    const controller = new AbortController();
    const waiting = prepareLayer(directory, 'wanted', () => assert.fail('another process builds it'), controller);
    controller.abort();
    await assert.rejects(waiting, isAbort);
    await lease.release();
    const layer = await prepareLayer(directory, 'wanted', (draft) => writeFile(join(draft, 'a'), ''));
    assert.deepEqual(await readdir(layer), ['a']);
  });

  test('ends the packing of a directory, and leaves no part of it', async () => {
    const tree = join(directory, 'tree');
    await mkdir(tree);
    await writeFile(join(tree, 'a'), 'x');
    const place = join(directory, 'place');
    await mkdir(place);
    await assert.rejects(packDirectory(tree, join(place, 'a.tar.gz'), { signal: AbortSignal.abort() }), isAbort);
    assert.deepEqual(await readdir(place), []);
  });
});
