import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freshRepository } from '../../../git/fresh-repository.ts';
import { runGit } from '../../../git/run-git.ts';
import { both, WalkFixture } from '../walking.fixture.ts';

describe('merges of several commits', () => {
  let fixture: WalkFixture;
  before(async () => {
    fixture = await WalkFixture.make();
  });
  after(() => fixture.dispose());

  test('are one candidate against their first parent, told by the merge and its commits', async () => {
    const builder = await fixture.start('pull');
    const brought = await fixture.onBranch(builder, 'dry-pens', [
      ['Write with dry pens\n\nA dry pen writes nothing today.', { 'lib/pen.js': 'exports.pen = 2;\n' }],
      ['Fix lint', { 'lib/ink.js': 'exports.ink = 2;\n' }],
      ['Add tests', { 'test/pen.test.js': '// pen 2\n' }],
    ]);
    const t0 = await builder.commit('Meanwhile', { 'lib/other.js': 'exports.other = 1;\n' });
    await builder.checkout('dry-pens');
    await builder.merge('main', "Merge branch 'main' into dry-pens");
    await builder.checkout('main');
    const merge = await builder.merge('dry-pens', 'Merge pull request #12 from nib/dry-pens\n\nDry pens');
    await fixture.walk(builder, async ({ found, text, read, repository }) => {
      assert.deepEqual(found, [{ commit: merge, brought }]);
      assert.match(text, /1 with code and tests of a known language, 3 commits taken together by 1 merge$/);
      const { base, t0: time, message, sources, reference, hidden, referenceDiff } = await read(0);
      assert.deepEqual([base, time.toISOString()], [t0, '2020-01-05T12:00:00.000Z']);
      assert.deepEqual(
        [reference, hidden].map(({ files }) => files.map(({ path }) => path)),
        [['lib/ink.js', 'lib/pen.js'], ['test/pen.test.js']],
      );
      assert.doesNotMatch(referenceDiff, /other/);
      assert.equal(message, 'Dry pens');
      assert.deepEqual(
        sources?.map(({ source, text: words }) => [source, words.split('\n')[0]]),
        [
          ['message', 'Dry pens'],
          ['message', 'Write with dry pens'],
        ],
      );
      const fresh = join(fixture.directory, 'fresh');
      await freshRepository(repository, base, fresh);
      const listed = await runGit(fresh, ['cat-file', '--batch-all-objects', '--batch-check']);
      const objects = new Set(
        listed
          .toString()
          .split('\n')
          .map((line) => line.slice(0, 40)),
      );
      const fixed = await Promise.all(
        ['', ':lib/pen.js', ':lib/ink.js', ':test/pen.test.js'].map((part) => builder.resolve(`${merge}${part}`)),
      );
      for (const object of [...fixed, ...brought]) assert.ok(!objects.has(object), object);
      assert.ok(objects.has(await builder.resolve(`${t0}:lib/pen.js`)), 'the control: what T0 holds is there');
    });
  });

  test('hold fixes that could stand alone: these are counted once, wherever else they lie', async () => {
    const builder = await fixture.start('several');
    const brought = await fixture.onBranch(builder, 'two', [
      ['Mend the pen', both('pen', 2)],
      ['Mend the ink', both('ink', 2)],
    ]);
    await builder.branch('1.x');
    await builder.checkout('1.x');
    await builder.git('cherry-pick', brought[0] ?? '');
    await builder.commit('Release', { 'package.json': '{"name":"ink","version":"1.1"}' });
    await builder.checkout('main');
    await builder.merge('1.x', "Merge branch '1.x'", { date: new Date('2020-01-20') });
    await builder.git('revert', '--no-edit', '-m', '1', 'HEAD');
    const merge = await builder.merge('two', 'Merge two (#3)', { date: new Date('2020-02-20') });
    await fixture.walk(builder, async ({ found, text, read }) => {
      assert.deepEqual(
        found.filter(({ brought: several }) => several),
        [{ commit: merge, brought }],
      );
      assert.ok(!found.some(({ commit }) => brought.includes(commit ?? '')));
      assert.match(text, /1 commit with the change of another/);
      assert.equal((await read(found.findIndex(({ commit }) => commit === merge))).message, 'Merge two (#3)');
    });
  });

  test('within a line that is maintained and merged are found there; its single fixes stay single', async () => {
    const builder = await fixture.start('maintained');
    await builder.git('checkout', '--quiet', '-b', '1.x');
    const alone = await builder.commit('Mend the ink', both('ink', 2));
    const more = await builder.commit('Mend the ink again', both('ink', 3));
    await builder.git('checkout', '--quiet', '-b', 'inner');
    const brought = [
      await builder.commit('Mend the pen', { 'lib/pen.js': 'exports.pen = 2;\n' }),
      await builder.commit('Test it', { 'test/pen.test.js': '// pen 2\n' }),
    ];
    await builder.checkout('1.x');
    const inner = await builder.merge('inner', "Merge branch 'inner' into '1.x'\n\nPens write again");
    await builder.checkout('main');
    await builder.commit('Meanwhile', { 'lib/other.js': 'exports.other = 1;\n' });
    await builder.merge('1.x', 'Take over what was mended');
    await fixture.walk(builder, async ({ found }) =>
      assert.deepEqual(found, [{ commit: inner, brought }, { commit: more }, { commit: alone }]),
    );
  });

  for (const [name, message, mends] of [
    ['a maintained line', "Merge branch '8.0.x'", ['Mend the ink', 'Mend the pen']],
    ['a pull from elsewhere', "Merge branch 'main' of code.example:ink/ink", ['Mend the ink', 'Mend the pen']],
    ['pull requests that were looked at one by one', 'Merge it', ['Mend the ink (#1)', 'Mend the pen (#2)']],
  ] as const)
    test(`of ${name} are no candidate, their commits are`, async () => {
      const builder = await fixture.start(`single-${name.length}`);
      const [ink, pen] = await fixture.onBranch(builder, 'side', [
        [mends[0], both('ink', 2)],
        [mends[1], both('pen', 2)],
      ]);
      await builder.merge('side', message);
      await fixture.walk(builder, async ({ found }) => assert.deepEqual(found, [{ commit: pen }, { commit: ink }]));
    });

  test('that change more files than a task should are no candidate, their commits are', async () => {
    const builder = await fixture.start('large');
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`lib/part-${index}.js`, '']));
    const [ink] = await fixture.onBranch(builder, 'side', [
      ['Mend the ink', both('ink', 2)],
      ['Split it', many],
    ]);
    await builder.merge('side', 'Merge it all');
    await fixture.walk(builder, async ({ found }) => assert.deepEqual(found, [{ commit: ink }]));
  });
});
