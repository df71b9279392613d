import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError, DatasetLedger, type CandidateEnd, type ErrorCode } from '@assay/protocol';
import { candidateKey, openCandidateCache } from './candidate-cache.ts';
import { openDataset, requireDataset } from './dataset.ts';
import { summarise } from './ledger.ts';

let directory = '';
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-dataset-'));
});
after(() => rm(directory, { recursive: true, force: true }));
const withCode =
  (code: ErrorCode) =>
  (error: unknown): boolean =>
    AssayError.is(error) && error.code === code;

const admitted: CandidateEnd = { candidate: 'b', outcome: 'admitted', task: 'x-2' };
const flaky: CandidateEnd = { candidate: 'c', outcome: 'rejected', reason: 'flaky', detail: 'wavers' };
const deferred: CandidateEnd = {
  candidate: 'a',
  outcome: 'deferred',
  kind: 'machine',
  code: 'INTERPRETER_MISSING',
  detail: 'no Python on this machine, looked in /home/someone',
};

describe('the ledger', () => {
  test('counts each end, and lists all in the order of their names', () => {
    const thin: CandidateEnd = { candidate: 'd', outcome: 'rejected', reason: 'thin_statement', detail: '' };
    const other: CandidateEnd = { ...flaky, candidate: 'e', detail: 'wavers as well' };
    assert.deepEqual(summarise([flaky, other, deferred, admitted, thin], undefined), {
      candidates: 5,
      admitted: 1,
      deferred: 1,
      rejected: { flaky: 2, thin_statement: 1 },
      ledger: [deferred, admitted, flaky, thin, other],
      tasks: ['x-2'],
      notes: undefined,
    });
  });
});

describe('a dataset', () => {
  const read = async (path: string): Promise<DatasetLedger> =>
    DatasetLedger.parse(JSON.parse(await readFile(join(path, 'dataset.json'), 'utf8')));

  test('keeps what it knows of other sources and candidates, and takes the newest end of each', async () => {
    const path = join(directory, 'kept');
    const first = await openDataset(path);
    await first.record({ source: 'local:one', pipeline: 'p', ends: [deferred, flaky] });
    await first.record({ source: 'local:two', pipeline: 'p', ends: [admitted] });
    await first.close();
    const second = await openDataset(path);
    await second.record({
      source: 'local:one',
      pipeline: 'p',
      ends: [{ candidate: 'a', outcome: 'admitted', task: 'x-1' }],
      notes: { text: 'seen', counts: { read: 1 }, leftOut: ['/home/someone/row.json: no JSON'] },
    });
    await second.close();
    assert.deepEqual((await read(path)).mined, [
      {
        source: 'local:one',
        pipeline: 'p',
        candidates: [{ candidate: 'a', outcome: 'admitted', task: 'x-1' }, flaky],
        notes: { text: 'seen', counts: { read: 1 } },
      },
      { source: 'local:two', pipeline: 'p', candidates: [admitted] },
    ]);
    assert.deepEqual(await readdir(path), ['dataset.json']);
  });

  test('names no place of this machine', async () => {
    const path = join(directory, 'neutral');
    const dataset = await openDataset(path);
    await dataset.record({ source: 'local:one', pipeline: 'p', ends: [deferred] });
    await dataset.close();
    assert.doesNotMatch(await readFile(join(path, 'dataset.json'), 'utf8'), /someone/);
  });

  test('a directory that holds something else is refused, before and when it is opened; one in use, too', async () => {
    const path = join(directory, 'occupied');
    await mkdir(path);
    await writeFile(join(path, 'thesis.tex'), '');
    await assert.rejects(requireDataset(path), withCode('OUTPUT_OCCUPIED'));
    await assert.rejects(openDataset(path), withCode('OUTPUT_OCCUPIED'));
    assert.deepEqual(await readdir(path), ['thesis.tex']);
    const open = await openDataset(join(directory, 'busy'));
    await assert.rejects(openDataset(join(directory, 'busy')), withCode('OUTPUT_BUSY'));
    await open.close();
  });

  test('a ledger that cannot be read, and drafts of a killed run, give way', async () => {
    const path = join(directory, 'killed');
    await mkdir(join(path, '.assay-draft-abc', 'x-1'), { recursive: true });
    await writeFile(join(path, 'dataset.json'), '{"assay":"dataset","pipeline":"p"}');
    const dataset = await openDataset(path);
    await dataset.close();
    assert.deepEqual(await readdir(path), ['dataset.json']);
    assert.deepEqual(await read(path), { assay: 'dataset', mined: [] });
  });

  test('takes no bundle whose digest is another', async () => {
    const dataset = await openDataset(join(directory, 'placed'));
    assert.equal(await dataset.place(join(directory, 'nowhere'), { task: 'x-1', digest: 'sha256:0' }), false);
    await dataset.close();
  });
});

describe('the candidate cache', () => {
  test('remembers ends; what it cannot read is not known', async () => {
    const cache = await openCandidateCache(join(directory, 'cache'));
    const key = candidateKey(['p', '1', 'commit']);
    assert.equal(await cache.recall(key), null);
    await cache.remember(key, { outcome: 'rejected', reason: 'flaky', detail: 'wavers' });
    assert.deepEqual(await cache.recall(key), { outcome: 'rejected', reason: 'flaky', detail: 'wavers' });
    const file = join(directory, 'cache', 'candidates', `${key}.json`);
    for (const text of ['{"outcome":', '{"outcome":"rejected","reason":"no_interpreter","detail":""}', '[]']) {
      await writeFile(file, text);
      assert.equal(await cache.recall(key), null, text);
    }
  });

  test('has a key for all parts together', () => {
    assert.notEqual(candidateKey(['p', '1']), candidateKey(['p', '2']));
    assert.match(candidateKey(['p']), /^[0-9a-f]{40}$/);
  });

  test('drafts of processes that are gone are removed', async () => {
    const home = join(directory, 'swept');
    await mkdir(join(home, 'bundles', 'draft-999999999-abc'), { recursive: true });
    await openCandidateCache(home);
    assert.deepEqual(await readdir(join(home, 'bundles')), []);
  });
});
