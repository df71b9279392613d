import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError, DatasetLedger, MineResult, type RejectionReason } from '@assay/protocol';
import { RepositoryBuilder } from '@assay/testkit';
import { z } from 'zod';
import { findRecord } from '../mine/candidate-records.ts';
import { Rejection } from '../mine/candidate.ts';
import { FIXED, MESSAGE, MineFixture, NEW_TESTS } from '../mine/mine.fixture.ts';
import { readFix } from '../mine/fixes/read-fix.ts';
import { registerPipeline } from '../mine/pipelines/index.ts';
import { definePipeline } from '../mine/pipelines/pipeline.ts';
import { mineFromFile, type MineFromFileOptions } from './mine-from-file.ts';

/** Why each pipeline rejects a commit, by its subject; nothing: it is read as the fix that it is. */
const REJECTS: Record<string, Record<string, RejectionReason>> = {
  early: { 'Say it badly': 'thin_statement', 'Change nothing': 'not_fixed', 'Third change': 'flaky' },
  late: { 'Say it badly': 'not_fixed', 'Change nothing': 'not_fixed', 'Third change': 'flaky' },
};

describe('mining by a file', () => {
  let home = '';
  let fixture: MineFixture;
  const at: Record<string, string> = {};
  const reads: string[] = [];
  let halt: ((signal: AbortSignal) => Promise<void>) | null = null;
  const saved = process.env['ASSAY_CACHE'];
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'assay-mine-file-'));
    process.env['ASSAY_CACHE'] = join(home, 'cache');
    fixture = await MineFixture.make();
    const { builder } = fixture;
    at['good'] = await builder.commit(MESSAGE, { 'lib/tally.js': FIXED, 'test/tally.test.js': NEW_TESTS });
    for (const [index, subject] of ['Say it badly', 'Change nothing', 'Third change'].entries())
      at[subject] = await builder.commit(subject, {
        'lib/tally.js': `${FIXED}// ${index}\n`,
        'test/tally.test.js': `${NEW_TESTS}// ${index}\n`,
      });
    await builder.git('clone', '--quiet', builder.directory, join(home, 'fork'));
    const other = await RepositoryBuilder.create(join(home, 'other'));
    await other.commit('First', { 'package.json': '{"name": "other"}' });
    at['elsewhere'] = await other.commit('Third change', { 'lib/a.js': '1;\n', 'test/a.test.js': '1;\n' });
  });
  after(async () => {
    if (saved === undefined) delete process.env['ASSAY_CACHE'];
    else process.env['ASSAY_CACHE'] = saved;
    await fixture.dispose();
    await rm(home, { recursive: true, force: true });
  });
  for (const name of ['early', 'late'])
    registerPipeline(
      definePipeline({
        name,
        version: '1',
        summary: 'commits of a test',
        statementSource: 'message',
        options: { broken: z.boolean().optional().describe('fail in the middle of the search') },
        open:
          async ({ broken }) =>
          async ({ repository }) => ({
            found: (async function* () {
              for (const commit of Object.values(at).reverse()) {
                if (await repository.objects.readTyped(commit, 'commit').catch(() => null))
                  yield { label: `${name} ${commit.slice(0, 8)}`, commit, data: commit };
                if (broken) throw new AssayError('MISSING_OBJECT', { detail: 'x' });
              }
            })(),
          }),
        data: z.string(),
        read: async (commit, { repository, signal }) => {
          const candidate = await readFix(repository, { commit });
          const subject = candidate.message.split('\n')[0] ?? '';
          reads.push(`${name} ${subject}`);
          if (halt && signal) await halt(signal);
          const reason = REJECTS[name]?.[subject];
          if (reason) throw new Rejection(reason, subject);
          return candidate;
        },
      }),
    );
  const mine = async (out: string, file: object, more: Partial<MineFromFileOptions> = {}): Promise<MineResult> => {
    const path = join(home, `${out}.json`);
    await writeFile(path, JSON.stringify(file));
    reads.length = 0;
    return MineResult.parse(await mineFromFile({ file: path, out: join(home, out), jobs: 1, ...more }));
  };
  const ledger = async (out: string): Promise<DatasetLedger['mined']> =>
    DatasetLedger.parse(JSON.parse(await readFile(join(home, out, 'dataset.json'), 'utf8'))).mined;
  const nameOf = (pipeline: string, commit: string): string => `${pipeline} ${at[commit]?.slice(0, 8)}`;

  test('what several pipelines and a fork find is examined once; better words take over; a repository that is missing is told', async () => {
    const file = {
      cutoff: '2000-01-01',
      sources: [
        { repository: join(home, 'missing'), pipelines: 'early' },
        { repository: fixture.builder.directory, pipelines: ['early', 'late'] },
        { repository: 'fork', pipelines: 'late' },
        { repository: 'other', pipelines: { late: null, early: { broken: true } } },
      ],
    };
    const result = await mine('all', file);
    const both = { foundBy: ['early', 'late'] };
    const named = result.ledger.map(({ candidate, outcome, foundBy, ...end }) => [
      candidate,
      'reason' in end ? end.reason : outcome,
      foundBy,
    ]);
    assert.deepEqual(
      named.sort(),
      [
        [nameOf('early', 'good'), 'admitted', both.foundBy],
        [nameOf('early', 'Change nothing'), 'not_fixed', both.foundBy],
        [nameOf('early', 'Third change'), 'flaky', both.foundBy],
        [nameOf('late', 'Say it badly'), 'not_fixed', both.foundBy],
        [nameOf('late', 'elsewhere'), 'flaky', ['late', 'early']],
      ].sort(),
    );
    assert.deepEqual([result.candidates, result.admitted, result.beforeCutoff], [5, 1, 0]);
    assert.deepEqual(
      result.parts?.map(({ source, pipeline, candidates, foundBefore, failure }) => [
        source.split(/[/:]/).at(-1),
        pipeline,
        candidates,
        foundBefore,
        failure?.code,
      ]),
      [
        ['missing', 'early', 0, 0, 'NOT_A_REPOSITORY'],
        ['tally', 'early', 3, 0, undefined],
        ['tally', 'late', 1, 3, undefined],
        ['fork', 'late', 0, 4, undefined],
        ['other', 'late', 1, 0, undefined],
        ['other', 'early', 0, 1, 'MISSING_OBJECT'],
      ],
    );
    const entries = await ledger('all');
    const found = entries.map(({ source, pipeline, candidates }) => [source, pipeline, candidates.length]);
    assert.deepEqual(found.slice(0, 3), [
      ['local:tally', 'early', 3],
      ['local:tally', 'late', 1],
      ['local:fork', 'late', 0],
    ]);
    assert.ok(entries.every(({ cutoff }) => cutoff === '2000-01-01T00:00:00.000Z'));
    assert.partialDeepStrictEqual(await findRecord(join(home, 'all'), at['good'] ?? ''), {
      outcome: 'admitted',
      ...both,
    });

    const again = await mine('all', file);
    assert.deepEqual(reads, []);
    assert.deepEqual([again.ledger, await ledger('all')], [result.ledger, entries]);
  });

  test('tasks older than the cut-off date are marked; fixes from that day on are no candidates by --until', async () => {
    const file = { sources: [{ repository: fixture.builder.directory, pipelines: 'early' }] };
    const old = await mine('old', file, { cutoff: '2100-01-01' });
    assert.deepEqual([old.beforeCutoff, old.ledger.every(({ beforeCutoff }) => beforeCutoff)], [1, true]);
    assert.equal((await ledger('old'))[0]?.candidates[0]?.beforeCutoff, true);
    const [task = ''] = old.tasks;
    const toml = await readFile(join(home, 'old', task, 'task.toml'), 'utf8');
    assert.match(toml, /\nfixed = "20\d\d-/);
    assert.doesNotMatch(toml, /cutoff = "2100/);
    assert.equal((await mine('until', file, { until: '2000-01-01' })).candidates, 0);
  });

  test('the limit is for all and shared out; what one entry does not need, those after it get', async () => {
    const { directory } = fixture.builder;
    const sources = [
      { repository: 'other', pipelines: 'early' },
      { repository: directory, pipelines: 'early' },
    ];
    const counted = async (more: Partial<MineFromFileOptions>, file: object = {}): Promise<number[] | undefined> =>
      (await mine('limits', { sources, ...file }, more)).parts?.map(({ candidates }) => candidates);
    assert.deepEqual(await counted({}, { limit: 4 }), [1, 3]);
    assert.deepEqual(await counted({ limit: 1 }, { limit: 4 }), [1, 0]);
    const [first, second] = sources;
    assert.deepEqual(await counted({}, { sources: [{ ...second, limit: 1 }, first], limit: 4 }), [1, 1]);
  });

  test('an interrupted run is recorded, and the next one goes on', async () => {
    const file = { sources: [{ repository: fixture.builder.directory, pipelines: ['early', 'late'] }] };
    // Another share of mutants: nothing of this is remembered.
    const settings = { minKilled: 0.1 };
    const stop = new AbortController();
    halt = async (signal) => {
      if (reads.length < 3) return;
      stop.abort(new AssayError('INTERRUPTED', {}));
      if (!signal.aborted) await once(signal, 'abort');
      signal.throwIfAborted();
    };
    await assert.rejects(
      mine('stopped', file, { ...settings, signal: stop.signal }),
      (error) => AssayError.is(error) && error.code === 'INTERRUPTED',
    );
    halt = null;
    assert.deepEqual(
      (await ledger('stopped')).map(({ pipeline, candidates }) => [pipeline, candidates.length]),
      [['early', 2]],
    );
    const whole = await mine('stopped', file, { ...settings, limit: 3 });
    assert.deepEqual(reads, ['late Say it badly']);
    assert.equal(whole.candidates, 3);
  });

  test('what is wrong with the file, or with an option of an entry, ends it before anything is made', async () => {
    const sources = [{ repository: 'other', pipelines: { early: { broken: 'yes' } } }];
    for (const [file, pattern] of [
      [{ sources }, /none\.json:1: sources\.0\.pipelines\.early: --broken: /],
      [{ sources, model: 'm' }, /model: give model and endpoint together/],
      [{ sources, strengthen: true }, /strengthen: it needs a model/],
    ] as const)
      await assert.rejects(
        mine('none', file),
        (error) => AssayError.is(error) && error.code === 'MINE_FILE_INVALID' && pattern.test(error.message),
      );
    await assert.rejects(
      mine('none', { sources: [{ repository: 'other', pipelines: 'early' }] }, { out: undefined }),
      /out: it needs to be there/,
    );
    assert.ok(!existsSync(join(home, 'none')));
  });
});
