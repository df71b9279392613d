import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { RejectionReason } from '@assay/protocol';
import type { Sandbox, SandboxOptions, SandboxProvider } from '@assay/sandbox';
import { runGit } from '../git/run-git.ts';
import { readTask } from '../bundle/read-task.ts';
import { read } from './1-read.ts';
import { build, type Built } from './2-build.ts';
import { prove } from './3-prove.ts';
import { stateProblem } from './5-state.ts';
import { write } from './6-write.ts';
import { Rejection, type Candidate } from './candidate.ts';
import { mineCandidate } from './mine-candidate.ts';
import { FIXED, MineFixture, NEW_TESTS } from './mine.fixture.ts';
import type { Behaviour } from '../verify/split/observe-behaviour.ts';
import type { ToldBehaviour } from './tell-behaviour.ts';
import { toldBy } from './statement.ts';
import { requireStrongTests } from './require-strong-tests.ts';
import { withTests } from './write-regression-test.ts';

const rejectedFor =
  (reason: RejectionReason, detail = /./) =>
  (error: unknown): boolean =>
    error instanceof Rejection && error.reason === reason && detail.test(error.detail);

describe('the stages of a candidate', () => {
  let fixture: MineFixture;
  let built: Built;
  let candidate: Candidate;
  before(async () => {
    fixture = await MineFixture.make();
    candidate = await fixture.candidate();
    built = await build(candidate, fixture.context);
  });
  after(() => fixture.dispose());

  describe('1 read', () => {
    test('has the pipeline read what it found, with the model', async () => {
      const given: unknown[] = [];
      const context = fixture.reading(async (data, { repository, model }) => {
        given.push(data, repository, model);
        return candidate;
      });
      assert.equal(await read('x', context), candidate);
      assert.deepEqual(given, ['x', fixture.repository, null]);
    });

    test('a change of more than two megabytes is too large, whoever made it', async () => {
      const large = await fixture.candidate({ 'lib/table.js': `exports.table = '${'x'.repeat(2 * 1024 * 1024)}';\n` });
      await assert.rejects(
        read(
          'x',
          fixture.reading(async () => large),
        ),
        rejectedFor('too_large'),
      );
    });
  });

  describe('a candidate of files that no commit holds', () => {
    test('is sorted into solution and tests, at the time of its base', () => {
      const paths = ({ files }: Candidate['reference']): string[] => files.map(({ path }) => path);
      assert.deepEqual(
        [paths(candidate.reference), paths(candidate.hidden)],
        [['lib/tally.js'], ['test/tally.test.js']],
      );
      assert.equal(candidate.base, fixture.repository.head);
      assert.equal(candidate.t0.toISOString(), '2020-01-01T12:00:00.000Z');
    });

    test('has a diff that git applies', async () => {
      const { referenceDiff } = await fixture.candidate({ 'lib/new.js': 'exports.a = 1;\n' });
      await fixture.builder.write({ '../change.diff': referenceDiff });
      await fixture.builder.git('apply', '--check', '../change.diff');
      assert.match(referenceDiff, /^\+ {2}const counts = Object\.create\(null\);$/m);
    });

    test('is refused where no ecosystem has its code, and where a path leads out', async () => {
      await assert.rejects(
        fixture.candidate({ 'lib/tally.js': FIXED, '../out.js': 'x' }),
        rejectedFor('unsupported_entry'),
      );
    });
  });

  describe('2 build', () => {
    test('the tree of T0 with one new commit, and its own test command', async () => {
      const git = join(built.t0Directory, '.git');
      const commits = (await runGit(git, ['rev-list', '--all'])).toString().trim().split('\n');
      assert.equal(commits.length, 1);
      assert.notEqual(commits[0], fixture.repository.head);
      assert.equal(built.command.runner, 'node:test');
      assert.deepEqual([built.projectNames, built.absent], [['tally'], []]);
    });

    test('asks for the environment only when it is needed, and once', async () => {
      let builds = 0;
      const { ecosystem } = candidate;
      const counted: Candidate = {
        ...candidate,
        ecosystem: {
          ...ecosystem,
          buildEnvironment: (request) => ((builds += 1), ecosystem.buildEnvironment(request)),
        },
      };
      const other = await build(counted, fixture.context);
      assert.equal(builds, 0);
      assert.equal(await other.environment(), await other.environment());
      assert.equal(builds, 1);
    });

    test('no runner at T0', async () => {
      const bare = await MineFixture.make({
        'package.json': '{"name":"tally","version":"1.0.0"}',
        'test/tally.test.js': '',
      });
      try {
        await assert.rejects(build(await bare.candidate(), bare.context), rejectedFor('no_runner'));
      } finally {
        await bare.dispose();
      }
    });

    test('a source file that the repository lacks', async () => {
      const holed = await MineFixture.make();
      try {
        const made = await holed.candidate();
        const blob = await holed.builder.resolve('HEAD:lib/tally.js');
        const objects = join(holed.repository.gitDirectory, 'objects');
        await rm(join(objects, blob.slice(0, 2), blob.slice(2)));
        await assert.rejects(build(made, holed.context), rejectedFor('missing_objects', /lib\/tally\.js/));
      } finally {
        await holed.dispose();
      }
    });
  });

  describe('3 prove', () => {
    test('tells the tests of the fix from the others', async () => {
      const { failToPass, passToPass, quarantined, command } = await prove(candidate, built, fixture.context);
      assert.deepEqual(failToPass, ['test/tally.test.js > counts a word that every object has']);
      assert.deepEqual(passToPass, ['test/tally.test.js > counts words']);
      assert.deepEqual([quarantined, command.files], [[], ['test/tally.test.js']]);
    });

    const wrong: Record<string, { files: Record<string, string>; reason: RejectionReason }> = {
      'tests that pass without the fix': {
        files: {
          'lib/tally.js': `${FIXED}// more\n`,
          'test/tally.test.js': NEW_TESTS.replace("'constructor'", "'other'").replace('.constructor', '.other'),
        },
        reason: 'not_fixed',
      },
      'a solution that does not solve it': {
        files: { 'lib/tally.js': 'exports.tally = () => ({});\n' },
        reason: 'not_fixed',
      },
      'a fix that needs a file that steers the runner': {
        files: {
          'lib/tally.js': `${FIXED}// needs a module system\n`,
          'package.json': JSON.stringify({
            name: 'tally',
            version: '1.0.0',
            imports: { '#limit': './lib/limit.js' },
            scripts: { test: 'node --test' },
          }),
          'lib/limit.js': 'module.exports = 3;\n',
          'test/tally.test.js': `const { test } = require('node:test');\nconst assert = require('node:assert');\ntest('a limit', () => {\n  assert.strictEqual(require('#limit'), 3);\n});\n`,
        },
        reason: 'config_change',
      },
    };
    for (const [name, { files, reason }] of Object.entries(wrong))
      test(`${name}: ${reason}`, async () => {
        await assert.rejects(prove(await fixture.candidate(files), built, fixture.context), rejectedFor(reason));
      });

    /** The tests learn from the variable RUN which run of the candidate it is, from 1. */
    const counted = (): SandboxProvider => {
      let runs = 0;
      const create = (options: SandboxOptions = {}): Promise<Sandbox> => {
        runs += 1;
        return fixture.context.provider.create({ ...options, env: { ...options.env, RUN: String(runs) } });
      };
      return { ...fixture.context.provider, create };
    };
    for (const [name, steady] of [
      ['fails with the fix at first', 'Number(process.env.RUN) > 1'],
      ['passes with the fix at first alone', 'Number(process.env.RUN) < 3'],
    ])
      test(`a test that ${name} is flaky, and not without effect`, async () => {
        const wavering = NEW_TESTS.replace(
          /(tally\(\['constructor'\]\)\.constructor), 1/,
          `$1 === 1 && ${steady}, true`,
        );
        const made = await fixture.candidate({ 'test/tally.test.js': wavering });
        await assert.rejects(prove(made, built, { ...fixture.context, provider: counted() }), (error) => {
          assert.ok(error instanceof Rejection);
          assert.deepEqual([error.reason, /a word that every object has/.test(error.detail)], ['flaky', true]);
          return error.evidence.some((line) => line.startsWith('with the fix: '));
        });
      });

    test('runs the suite of its time no more than three times, and the tests of the fix twice', async () => {
      let runs = 0;
      const { provider } = fixture.context;
      const create = (options: SandboxOptions = {}): Promise<Sandbox> => ((runs += 1), provider.create(options));
      const { suite } = await prove(candidate, built, { ...fixture.context, provider: { ...provider, create } });
      assert.deepEqual([suite, runs], [{ files: 1, chosen: 'all' }, 4]);
    });

    test('the whole suite runs twice, and once more only what seems to tell the fix outside of its own files', async () => {
      const other = `const { test } = require('node:test');\nconst assert = require('node:assert');
test('steady', () => {});\ntest('at ' + new Date().toISOString(), () => {});\ntest('once', () => assert.ok(process.env.WAVERS === undefined || process.env.RUN === '3'));\n`;
      const wide = await MineFixture.make({ 'test/other.test.js': other });
      try {
        const made = await wide.candidate();
        const tree = await build(made, wide.context);
        const proveWith = async (env: Record<string, string>): Promise<[string[], string[], number]> => {
          let runs = 0;
          const create = (options: SandboxOptions = {}): Promise<Sandbox> => {
            runs += 1;
            return wide.context.provider.create({ ...options, env: { ...options.env, ...env, RUN: String(runs) } });
          };
          const provider = { ...wide.context.provider, create };
          const found = await prove(made, tree, { ...wide.context, provider });
          assert.deepEqual(found.failToPass, ['test/tally.test.js > counts a word that every object has']);
          // An id that holds the time asks for no other run.
          const wavers = found.quarantined.filter((id) => !id.includes(' > at 2'));
          return [found.passToPass, wavers, runs];
        };
        const steady = ['test/other.test.js > steady', 'test/tally.test.js > counts words'];
        assert.deepEqual(await proveWith({}), [['test/other.test.js > once', ...steady], [], 4]);
        assert.deepEqual(await proveWith({ WAVERS: 'yes' }), [steady, ['test/other.test.js > once'], 5]);
      } finally {
        await wide.dispose();
      }
    });

    test('no file that can be run', async () => {
      const made = { ...candidate, hidden: { files: [], deleted: [] } };
      await assert.rejects(prove(made, built, fixture.context), rejectedFor('no_tests'));
    });
  });

  describe('5 state', () => {
    const state = (made: Candidate, more: object = {}) => stateProblem(made, built, { ...fixture.context, ...more });

    test('the message, without what leads to the fix', async () => {
      const { title, body } = await state(
        await fixture.candidate(
          {},
          `Count every word (#12)\n\n${candidate.message}\n\nFixes #11, see https://code.example/tally/pull/12`,
        ),
      );
      assert.equal(title, 'Count every word');
      assert.match(body, /the word `constructor`/);
      assert.doesNotMatch(body, /#1|https/);
    });

    test('a thin message, and one that quotes the fix, need a model', async () => {
      for (const message of ['Fix it', `Word counts\n\nIn tally, say\n\n    const counts = Object.create(null);\n`])
        await assert.rejects(
          state(await fixture.candidate({}, message)),
          rejectedFor('thin_statement', /^the row says only/),
        );
    });

    test('beside a title alone, and in the place of a thin message, stands some of the behaviour', async () => {
      const sentences = ['`tally([])` returns `1`; it should return `{}`.'];
      const observed = { expression: 'tally([])', inputs: 'tally()' } as Behaviour;
      const tells = async (): Promise<ToldBehaviour> => ({
        tells: 'expectations',
        sentences,
        told: [observed],
        heldBack: 2,
      });
      const stateWith = async (message: string) =>
        stateProblem(await fixture.candidate({}, message), built, fixture.context, tells);
      const short = await stateWith('Count words that are named like properties of every object');
      assert.deepEqual(
        short.sentences.map(({ source }) => source),
        ['message', 'behaviour', 'behaviour'],
      );
      assert.match(short.body, /- `tally\(\[\]\)` returns `1`; it should return `\{\}`\.$/);
      assert.deepEqual(short.behaviour, { told: 1, held_back: 2 });
      assert.equal((await stateWith('Fix it')).title, 'What `tally` should do, and does not');
      const long = await stateWith(candidate.message);
      assert.equal(long.behaviour, undefined);
    });

    test('what may not stand in an instruction is no behaviour to be told', async () => {
      const asked: boolean[] = [];
      const tells = async (isClean: (sentence: string) => boolean): Promise<null> => {
        for (const text of [
          '`tally(1)` returns `2`.',
          '`countWords(1)` returns `2`.',
          'const counts = Object.create(null);',
          'see #12',
        ])
          asked.push(isClean(text));
        return null;
      };
      const tests = `${NEW_TESTS}describe('countWords', () => {});\n`;
      const made = await fixture.candidate({ 'test/tally.test.js': tests }, 'Fix it');
      await assert.rejects(stateProblem(made, built, fixture.context, tells), rejectedFor('thin_statement'));
      assert.deepEqual(asked, [true, true, false, false]);
    });
  });

  describe('6 write', () => {
    const request = async (made: Candidate, name: string): Promise<Parameters<typeof write>[0]> => ({
      candidate: made,
      built,
      statement: { ...toldBy('message', 'Count every word', 'Every word counts.'), disclosed: [] },
      proven: await prove(candidate, built, fixture.context),
      split: null,
      bundle: join(fixture.directory, 'bundles', name),
    });

    test('a bundle that has proven itself, without a commit or an author of the source', async () => {
      const wanted = await request(candidate, 'good');
      const result = await write(wanted, fixture.context);
      assert.ok(result.outcome === 'admitted' && /^tally-[0-9a-f]{8}$/.test(result.task));
      const { meta } = await readTask(wanted.bundle);
      assert.equal(meta.digest, result.digest);
      assert.ok(meta.kind === 'repository' && meta.proof);
      assert.deepEqual(meta.suite, { files: 1, chosen: 'all' });
      assert.deepEqual(meta.statement, [
        { text: 'Count every word', source: 'message' },
        { text: 'Every word counts.', source: 'message' },
      ]);
      assert.deepEqual([meta.pipeline, meta.proof.reference.passes, meta.proof.noop.passes], ['made_up', 3, 0]);
      const instruction = await readFile(join(wanted.bundle, 'instruction.md'), 'utf8');
      assert.match(instruction, /^# Count every word\n\nEvery word counts\.\n/);
    });

    test('one that does not hold is written nowhere', async () => {
      const wanted = await request(await fixture.candidate({ 'lib/tally.js': 'exports.tally = () => ({});\n' }), 'bad');
      await assert.rejects(write(wanted, fixture.context), rejectedFor('unproven'));
      assert.ok(!existsSync(wanted.bundle));
      assert.deepEqual(
        (await readdir(join(fixture.directory, 'bundles'))).filter((name) => name !== 'good'),
        [],
      );
    });
  });

  describe('all of them', () => {
    test('the first stage that has something against it names the reason', async () => {
      const thinAndUnfixed = await fixture.candidate({ 'lib/tally.js': 'exports.tally = () => ({});\n' }, 'Fix it');
      const context = fixture.reading(async () => thinAndUnfixed);
      fixture.progress.length = 0;
      const result = await mineCandidate('x', join(fixture.directory, 'bundles', 'whole'), context);
      assert.ok(result.outcome === 'rejected' && result.reason === 'not_fixed', JSON.stringify(result));
      assert.deepEqual(fixture.progress, ['screening', 'environment']);
      assert.equal(result.examination?.stage, 'prove');
      assert.deepEqual(Object.keys(result.examination.seconds).sort(), [
        'build',
        'environment',
        'prove',
        'read',
        'tests',
      ]);
    });

    test('mutants that tests let pass stay with the reason', async () => {
      const survivors = [{ path: 'lib/tally.js', line: 2, kind: 'loop', change: 'for -> its first step alone' }];
      const mutants = { run: 4, killed: 3, notRun: 0, survivors };
      for (const [report, least] of [
        [{ ...mutants, run: 3, killed: 0 }, 1],
        [mutants, 0.75],
        [undefined, 1],
      ] as const)
        requireStrongTests(report, least);
      const context = fixture.reading(async () => (requireStrongTests(mutants, 1), candidate));
      const result = await mineCandidate('x', join(fixture.directory, 'bundles', 'whole'), context);
      const detail = '1 of 4 mutants pass, such as lib/tally.js:2 for -> its first step alone';
      const { examination, ...end } = result;
      assert.deepEqual(end, { outcome: 'rejected', reason: 'weak_tests', detail, survivors });
      assert.equal(examination?.stage, 'read');
    });

    test('a fix without tests and without a model', async () => {
      const untested = { ...candidate, hidden: { files: [], deleted: [] } };
      await assert.rejects(withTests(untested, built, fixture.context), rejectedFor('no_tests'));
      assert.equal(await withTests(candidate, built, fixture.context), candidate);
    });
  });
});
