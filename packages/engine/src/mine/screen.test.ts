import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { build } from './2-build.ts';
import { prove, type Proven } from './3-prove.ts';
import { Rejection } from './candidate.ts';
import { FIXED, MineFixture, NEW_TESTS } from './mine.fixture.ts';

const manifest = (scripts: object, more: object = {}): string =>
  JSON.stringify({ name: 'tally', version: '1.0.0', scripts, ...more });

interface Case {
  /** Of T0. */
  files: Record<string, string>;
  /** Of the fix and its tests. */
  change: Record<string, string>;
}

async function proven(context: TestContext, { files, change }: Case): Promise<Proven> {
  const fixture = await MineFixture.make(files);
  context.after(() => fixture.dispose());
  const candidate = await fixture.candidate(change);
  return prove(candidate, await build(candidate, fixture.context), fixture.context);
}

describe('screening', () => {
  const built = {
    change: { 'test/tally.test.js': NEW_TESTS.replace('../lib/', '../dist/') },
    make: (build: string): Record<string, string> => ({
      'package.json': manifest({ build, test: 'node --test' }, { main: 'dist/tally.js' }),
    }),
  };

  test('builds what the tests load, with the fix in it, and the task keeps that', async (context) => {
    const { failToPass, passToPass, command } = await proven(context, {
      files: built.make('mkdir -p dist && cp lib/*.js dist'),
      change: built.change,
    });
    assert.deepEqual(command.args, ['--before=npm run build']);
    assert.deepEqual(failToPass, ['test/tally.test.js > counts a word that every object has']);
    assert.deepEqual(passToPass, ['test/tally.test.js > counts words']);
  });

  test('waits once for a build that never ends', async (context) => {
    const fixture = await MineFixture.make(built.make('sleep 600'));
    context.after(() => fixture.dispose());
    const candidate = await fixture.candidate(built.change);
    const t0 = await build(candidate, fixture.context);
    let boxes = 0;
    const { provider } = fixture.context;
    const counting = { ...provider, create: (options = {}) => ((boxes += 1), provider.create(options)) };
    const limited = { ...t0, command: { ...t0.command, timeoutSec: 8 } };
    await assert.rejects(
      prove(candidate, limited, { ...fixture.context, provider: counting }),
      (error) => error instanceof Rejection && error.reason === 'suite_broken' && /outlast/.test(error.detail),
    );
    assert.equal(boxes, 2, 'one run without the build, and one with it');
  });

  const noon = 'new Date(2020, 6, 1, 12).toISOString()';
  const zoned = NEW_TESTS.replace(
    "strictEqual(tally(['constructor']).constructor, 1)",
    `strictEqual(tally.noon, ${noon})`,
  );
  const zones = {
    files: { 'package.json': manifest({ test: 'node --test && TZ=Asia/Tokyo npm run zoned', zoned: 'node --test' }) },
    change: { 'lib/tally.js': `${FIXED}exports.tally.noon = ${noon};\n`, 'test/tally.test.js': zoned },
    early: "exports.tally.noon = '2020-07-01T12:00:00.000Z';\n",
  };

  test('finds a fix that shows in another time zone of the scripts', async (context) => {
    const t0 = { ...zones.files, 'lib/tally.js': `${FIXED}${zones.early}` };
    const { failToPass, command } = await proven(context, { files: t0, change: zones.change });
    assert.deepEqual(command.args, ['--env=TZ=Asia/Tokyo']);
    assert.deepEqual(failToPass, ['test/tally.test.js > counts a word that every object has']);
  });

  describe('tests whose ids tell the time', () => {
    const dated = (more: string, files = {}): Case => ({
      files,
      change: {
        'test/tally.test.js': `${more}for (const form of ['getTime', 'toISOString'])
  test('written ' + new Date()[form](), () => {});\n`,
      },
    });

    test('count nowhere, beside those of the fix, which no other zone is needed for', async (context) => {
      const found = await proven(context, dated(NEW_TESTS, zones.files));
      const { failToPass, passToPass, quarantined, command } = found;
      assert.deepEqual(command.args, []);
      assert.deepEqual([failToPass.length, passToPass], [1, ['test/tally.test.js > counts words']]);
      assert.ok(quarantined.length >= 2);
    });

    test('do not make a candidate flaky that no test tells', async (context) => {
      const attempt = proven(context, dated(NEW_TESTS.replace("(['constructor']).constructor", "(['a']).a")));
      await assert.rejects(attempt, (error) => error instanceof Rejection && error.reason === 'not_fixed');
    });
  });
});
