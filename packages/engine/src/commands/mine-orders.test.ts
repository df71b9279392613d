import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { AssayError, type CandidateOrder, type ErrorCode } from '@assay/protocol';
import { makeCache } from '@assay/testkit';
import type { CandidateResult } from '../mine/candidate.ts';
import { readTask } from '../bundle/read-task.ts';
import { candidateOrders, sharedOrder } from '../mine/candidate-orders.ts';
import { candidateWorker } from '../mine/candidate-worker.ts';
import { FIXED, MESSAGE, MineFixture, NEW_TESTS } from '../mine/mine.fixture.ts';
import { importedRows } from '../mine/pipelines/imported-rows.fixture.ts';
import { registerPipeline } from '../mine/pipelines/index.ts';
import { mineRepository } from './mine.ts';

describe('the order of a candidate', () => {
  let home = '';
  let fixture: MineFixture;
  let rows = '';
  let order: CandidateOrder;
  const saved = process.env['ASSAY_CACHE'];
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'assay-mine-orders-'));
    await makeCache(join(home, 'cache'));
    await makeCache(join(home, 'elsewhere'));
    // There, T0 and its environment are made again.
    await rm(join(home, 'elsewhere', 'layers'));
    process.env['ASSAY_CACHE'] = join(home, 'cache');
    fixture = await MineFixture.make();
    rows = join(home, 'rows.json');
    const row = { id: 'row-1', text: MESSAGE, files: { 'lib/tally.js': FIXED, 'test/tally.test.js': NEW_TESTS } };
    await writeFile(rows, JSON.stringify([row]));
    registerPipeline(importedRows);
    order = await orderFor(fixture.builder.directory);
  });
  after(async () => {
    if (saved === undefined) delete process.env['ASSAY_CACHE'];
    else process.env['ASSAY_CACHE'] = saved;
    await fixture.dispose();
    await rm(home, { recursive: true, force: true });
  });

  async function orderFor(source: string): Promise<CandidateOrder> {
    const { repository } = fixture;
    const { found } = await (await importedRows.open({ rows }))({ repository });
    const run = {
      pipeline: importedRows,
      source,
      repository,
      specificity: 'tell' as const,
      minKilled: 0,
      model: undefined,
      provider: undefined,
    };
    for await (const made of candidateOrders(sharedOrder(run), found)) return made;
    return assert.fail('no order');
  }

  test('names what is ordered, and holds no credentials', async () => {
    const again = await orderFor('https://someone:secret@code.example/tally?token=secret');
    assert.equal(again.source.repository, 'https://code.example/tally');
    assert.doesNotMatch(JSON.stringify(again), /secret/);
    assert.notEqual(again.id, order.id);
    assert.equal((await orderFor(fixture.builder.directory)).id, order.id);
  });

  test('is worked on by another process, which makes the same bundle', async () => {
    const out = join(home, 'mined');
    const mined = await mineRepository({
      source: fixture.builder.directory,
      pipeline: importedRows.name,
      pipelineOptions: { rows },
      out,
    });
    const [task = ''] = mined.tasks;
    // What only the pipeline that was opened here knew.
    await rm(rows);
    await fixture.builder.commit('Later', { 'lib/tally.js': '// Moved on\n' });
    const elsewhere = join(home, 'elsewhere');
    const tasks = join(home, 'tasks-elsewhere');
    const worker = join(import.meta.dirname, '../mine/candidate-worker.fixture.ts');
    const child = spawn(process.execPath, [worker, elsewhere, tasks], {
      cwd: elsewhere,
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ASSAY_CACHE: undefined },
    });
    child.stdin.end(JSON.stringify(order));
    const { examination, ...end } = JSON.parse(await text(child.stdout)) as CandidateResult;
    const { digest } = (await readTask(join(out, task))).meta;
    assert.deepEqual(end, { outcome: 'admitted', task, digest });
    assert.equal(examination?.stage, 'proof');
    assert.equal((await readTask(join(tasks, task))).meta.digest, digest);
    assert.deepEqual(await readdir(join(elsewhere, 'repositories')), []);
  });

  test('that does not fit this process is no verdict on its candidate', async () => {
    const worker = candidateWorker({
      cacheDirectory: join(home, 'cache'),
      dataset: { place: async () => assert.fail('nothing to place') },
    });
    const refused: [Partial<CandidateOrder>, ErrorCode][] = [
      [{ data: { text: 'x' } }, 'ORDER_INVALID'],
      [{ pipeline: { name: 'imported_rows', version: '0' } }, 'ORDER_INVALID'],
      [{ pipeline: { name: 'no_such', version: '1' } }, 'UNKNOWN_PIPELINE'],
      [{ source: { ...order.source, head: '0'.repeat(40) } }, 'MISSING_OBJECT'],
      [{ source: { ...order.source, repository: 'ext::sh -c true' } }, 'REPOSITORY_REFUSED'],
    ];
    try {
      for (const [part, code] of refused)
        await assert.rejects(
          worker.run({ ...order, ...part }),
          (error) => AssayError.is(error) && error.code === code,
          code,
        );
    } finally {
      await worker.close();
    }
  });
});
