import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError, DatasetLedger, MineResult, type ErrorCode, type ProgressEvent } from '@assay/protocol';
import { RepositoryBuilder } from '@assay/testkit';
import { z } from 'zod';
import { registerEcosystem } from '../ecosystems/index.ts';
import { nodeEcosystem } from '../ecosystems/node/node-ecosystem.ts';
import type { Candidate } from '../mine/candidate.ts';
import { findRecord } from '../mine/candidate-records.ts';
import { FIXED, MESSAGE, MineFixture, NEW_TESTS } from '../mine/mine.fixture.ts';
import { registerPipeline } from '../mine/pipelines/index.ts';
import { definePipeline } from '../mine/pipelines/pipeline.ts';
import { mineRepository, type MineOptions } from './mine.ts';

type Reads = Record<string, (signal?: AbortSignal) => Promise<Candidate>>;

describe('mining', () => {
  let home = '';
  let fixture: MineFixture;
  const saved = process.env['ASSAY_CACHE'];
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'assay-mine-command-'));
    process.env['ASSAY_CACHE'] = join(home, 'cache');
    fixture = await MineFixture.make();
  });
  after(async () => {
    if (saved === undefined) delete process.env['ASSAY_CACHE'];
    else process.env['ASSAY_CACHE'] = saved;
    await fixture.dispose();
    await rm(home, { recursive: true, force: true });
  });

  /** A pipeline from outside, whose candidates no commit holds: those of the run that is under way. */
  let current: Reads = {};
  registerPipeline(
    definePipeline({
      name: 'made_up',
      version: '1',
      summary: 'problems of a test',
      statementSource: 'row',
      options: {},
      open: async () => async () => ({ found: Object.keys(current).map((label) => ({ label, data: label })) }),
      data: z.string(),
      read: async (label, { signal }) => {
        const made = await current[label]?.(signal);
        assert.ok(made);
        return made;
      },
    }),
  );
  const mine = async (out: string, reads: Reads, more: Partial<MineOptions> = {}): Promise<MineResult> => {
    current = reads;
    return MineResult.parse(
      await mineRepository({
        source: fixture.builder.directory,
        pipeline: 'made_up',
        out: join(home, out),
        jobs: 1,
        ...more,
      }),
    );
  };
  const thin = (): Promise<Candidate> => fixture.candidate({}, 'Fix it');
  const failing = (code: ErrorCode) => (): Promise<Candidate> => Promise.reject(new AssayError(code, { detail: 'x' }));

  test('a machine that lacks the interpreter defers; where it is there, the candidate is tried again and admitted', async () => {
    let isInstalled = false;
    const read = async (): Promise<Candidate> => {
      const candidate = await fixture.candidate();
      const { ecosystem } = candidate;
      return {
        ...candidate,
        ecosystem: {
          ...ecosystem,
          buildEnvironment: (request) =>
            isInstalled
              ? ecosystem.buildEnvironment(request)
              : Promise.reject(new AssayError('INTERPRETER_MISSING', { language: 'Node', wanted: '99' })),
        },
      };
    };
    const first = await mine('interpreter', { problem: read, thin });
    assert.deepEqual(
      first.ledger.map((end) => [end.candidate, end.outcome, end.outcome === 'deferred' ? end.code : '']),
      [
        ['problem', 'deferred', 'INTERPRETER_MISSING'],
        ['thin', 'rejected', ''],
      ],
    );
    assert.deepEqual([first.admitted, first.deferred, first.rejected], [0, 1, { thin_statement: 1 }]);
    isInstalled = true;
    const second = await mine('interpreter', { problem: read, thin });
    assert.deepEqual([second.admitted, second.deferred], [1, 0]);
    const [task = ''] = second.tasks;
    assert.ok(existsSync(join(home, 'interpreter', task, 'task.toml')));
    const { mined } = DatasetLedger.parse(
      JSON.parse(await readFile(join(home, 'interpreter', 'dataset.json'), 'utf8')),
    );
    assert.deepEqual(mined, [{ source: 'local:tally', pipeline: 'made_up', candidates: second.ledger }]);

    await rm(join(home, 'interpreter', task), { recursive: true });
    const third = await mine('interpreter', { problem: failing('IMPOSSIBLE'), thin: failing('IMPOSSIBLE') });
    assert.deepEqual(third.ledger, second.ledger);
    assert.ok(existsSync(join(home, 'interpreter', task, 'task.toml')));
  });

  test('what may pass is tried three times; no candidate ends the others, and none is remembered', async () => {
    let tries = 0;
    const hiccup = async (): Promise<Candidate> => {
      tries += 1;
      if (tries < 3) throw new AssayError('LANE_FAILED', { lane: 'package', detail: 'x' });
      return thin();
    };
    const reads = {
      bug: () => Promise.reject(new TypeError('x is undefined')),
      hiccup,
      out: failing('LANE_FAILED'),
      slow: failing('BUILD_TIMED_OUT'),
    };
    const result = await mine('hiccups', reads);
    assert.deepEqual(
      result.ledger.map((end) =>
        end.outcome === 'deferred' ? [end.candidate, end.kind, end.code] : [end.candidate, end.outcome],
      ),
      [
        ['bug', 'bug', 'UNEXPECTED'],
        ['hiccup', 'rejected'],
        ['out', 'infrastructure', 'LANE_FAILED'],
        ['slow', 'machine', 'BUILD_TIMED_OUT'],
      ],
    );
    const again = await mine('hiccups', { bug: thin, hiccup: failing('IMPOSSIBLE'), out: thin, slow: thin });
    assert.deepEqual(again.rejected, { thin_statement: 4 });
  });

  test('another interpreter on the machine: what ended before is examined again', async () => {
    let versions = ['1.2.3'];
    registerEcosystem({ ...nodeEcosystem, id: 'made_up_language', interpreters: async () => versions });
    let reads = 0;
    const read = (): Promise<Candidate> => ((reads += 1), thin());
    for (const [found, expected] of [
      [['1.2.3'], 1],
      [['1.2.3'], 1],
      [['1.2.4'], 2],
      [['1.2.3', '1.2.4'], 3],
      [['1.2.3'], 3],
    ] as const) {
      versions = [...found];
      const { rejected } = await mine('versions', { again: read });
      assert.deepEqual([reads, rejected], [expected, { thin_statement: 1 }]);
    }
  });

  test('a budget ends the run in order: what is left has no end, and the next run takes it up', async () => {
    const events: ProgressEvent[] = [];
    const endless = async (signal?: AbortSignal): Promise<Candidate> => {
      await once(signal ?? assert.fail('there is a signal'), 'abort');
      throw new Error('too late to matter');
    };
    const onEvent = (event: ProgressEvent): void => void events.push(event);
    const first = await mine('budget', { endless, never: endless }, { budgetMs: 200, onEvent });
    assert.deepEqual([first.candidates, first.left, first.ledger], [0, 2, []]);
    assert.ok(events.every(({ type }) => type !== 'item-end'));
    const second = await mine('budget', { endless: failing('BUILD_TIMED_OUT'), never: failing('BUILD_TIMED_OUT') });
    assert.deepEqual([second.candidates, second.deferred, second.left], [2, 2, undefined]);
  });

  test('what the user has to mend ends the run; what ended before is in the ledger', async () => {
    await assert.rejects(
      mine('ended', { first: thin, key: failing('MODEL_KEY_MISSING'), never: thin }),
      (error) => AssayError.is(error) && error.code === 'MODEL_KEY_MISSING',
    );
    const { mined } = DatasetLedger.parse(JSON.parse(await readFile(join(home, 'ended', 'dataset.json'), 'utf8')));
    assert.deepEqual(
      mined.map(({ candidates }) => candidates.map(({ candidate }) => candidate)),
      [['first']],
    );
    assert.deepEqual((await readdir(join(home, 'ended'))).sort(), ['candidates.jsonl', 'dataset.json']);
  });

  test('a pipeline that is not given, or refuses its options, before anything is made', async () => {
    const refused = (code: ErrorCode) => (error: unknown) => AssayError.is(error) && error.code === code;
    await assert.rejects(mine('refused', {}, { pipeline: 'no_such' }), refused('UNKNOWN_PIPELINE'));
    await assert.rejects(mine('refused', {}, { pipelineOptions: { rows: 'x' } }), refused('BAD_OPTION'));
    const needsModel = { pipeline: 'code_instruct', pipelineOptions: {} };
    await assert.rejects(mine('refused', {}, needsModel), refused('BAD_OPTION'));
    assert.ok(!existsSync(join(home, 'refused')));
  });

  test('a merge of several commits, and tests of a later one: the ledger and candidates.jsonl name them all', async () => {
    const builder = await RepositoryBuilder.create(join(home, 'merged'));
    await builder.commit('First version', { 'lib/tally.js': '', 'test/tally.test.js': '' });
    await builder.git('checkout', '--quiet', '-b', 'side');
    const brought = [
      await builder.commit('Tally', { 'lib/tally.js': FIXED }),
      await builder.commit('More', { 'test/tally.test.js': NEW_TESTS }),
    ];
    await builder.checkout('main');
    const merge = await builder.merge('side', 'Refactor everything');
    const fix = await builder.commit('Tally empty lists (#8)', { 'lib/tally.js': `${FIXED}//\n` });
    const tests = await builder.commit('Cover #8', { 'test/tally.test.js': { link: '../lib/tally.js' } });
    const out = join(home, 'of-merged');
    const { ledger } = await mineRepository({ source: builder.directory, pipeline: 'commit_runtime', out });
    const named = [
      { commit: merge, brought, reason: 'chore', detail: 'refactoring: Refactor everything' },
      { commit: fix, tests, reason: 'unsupported_entry' },
    ];
    for (const { commit, ...rest } of named)
      assert.partialDeepStrictEqual(
        ledger.find((end) => end.commit === commit),
        { candidate: commit.slice(0, 10), outcome: 'rejected', ...rest },
      );
    assert.equal(ledger.length, 2);
    const { mined } = DatasetLedger.parse(JSON.parse(await readFile(join(out, 'dataset.json'), 'utf8')));
    assert.deepEqual(mined[0]?.candidates, ledger);
    for (const [name, commit] of [
      [brought[0], merge],
      [tests, fix],
    ])
      assert.equal((await findRecord(out, name ?? '')).commit, commit);
  });

  test('a repository with a submodule: each candidate comes to an end', async () => {
    const builder = await RepositoryBuilder.create(join(home, 'modular'));
    const files = {
      'package.json': '{"name":"modular","scripts":{"test":"node --test"}}',
      'lib/tally.js': '',
      'test/tally.test.js': '',
    };
    const link = await builder.commit('First version', files);
    for (const value of [1, 2, 3]) {
      await builder.write({
        'lib/tally.js': `${FIXED}// ${value}\n`,
        'test/tally.test.js': `${NEW_TESTS}// ${value}\n`,
      });
      await builder.git('add', '--all');
      await builder.git('update-index', '--add', '--cacheinfo', `160000,${link},test/module-${value}`);
      await builder.commit(MESSAGE, {}, { onlyStaged: true });
    }
    const result = await mineRepository({
      source: builder.directory,
      pipeline: 'commit_runtime',
      out: join(home, 'modular-tasks'),
    });
    assert.deepEqual([result.candidates, result.rejected], [3, { unsupported_entry: 3 }]);
  });
});
