import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { RepositoryBuilder } from '@assay/testkit';
import { both, WalkFixture, type Walked } from '../walking.fixture.ts';

describe('fixes whose tests come in a later commit', () => {
  let fixture: WalkFixture;
  before(async () => {
    fixture = await WalkFixture.make();
  });
  after(() => fixture.dispose());

  const paths = (change: { files: { path: string }[] }): string[] => change.files.map(({ path }) => path);
  const PEN = { 'lib/pen.js': 'exports.pen = 2;\nexports.dryPen = 1;\n' };
  const PEN_TESTS = { 'test/pen.test.js': '// pen 1\nrequire("../lib/pen.js").dryPen;\n' };

  test('are a candidate before the fix, with the tests as they are later', async () => {
    const builder = await fixture.start('later');
    const t0 = await builder.resolve('HEAD');
    const commit = await builder.commit('Write with dry pens', PEN);
    await builder.commit('Mend the ink', { ...both('ink', 2), 'CHANGES.md': '# Changes\n\n- Ink dries.\n' });
    const tests = await builder.commit('Cover it', {
      ...PEN_TESTS,
      'CHANGES.md': '# Changes\n\n- Dry pens write, too.\n- Ink dries.\n',
    });
    await fixture.walk(builder, async ({ found, text, read }) => {
      assert.deepEqual(found.at(1), { commit, tests });
      assert.equal(found.length, 2);
      assert.match(text, /2 with code and tests of a known language, 1 commit with tests of a later one$/);
      const { base, reference, hidden, referenceDiff, message, sources } = await read(1);
      assert.deepEqual(
        [base, message, paths(reference), paths(hidden)],
        [t0, 'Write with dry pens', ['lib/pen.js'], ['test/pen.test.js']],
      );
      assert.equal(hidden.files[0]?.content.toString(), PEN_TESTS['test/pen.test.js']);
      assert.match(referenceDiff, /dryPen/);
      assert.doesNotMatch(referenceDiff, /test/);
      assert.deepEqual(
        sources?.map(({ source, text: words }) => [source, words]),
        [
          ['message', 'Write with dry pens'],
          ['changelog', 'Dry pens write, too.'],
        ],
      );
    });
  });

  test('may be merges, both', async () => {
    const builder = await fixture.start('merged');
    const t0 = await builder.resolve('HEAD');
    const brought = await fixture.onBranch(builder, 'dry', [
      ['Try dry pens', { 'lib/pen.js': 'exports.pen = 2;\n' }],
      ['Dry pens write', PEN],
    ]);
    const commit = await builder.merge('dry', 'Merge pull request #5 from nib/dry\n\nDry pens write');
    await fixture.onBranch(builder, 'cover', [['Cover dry pens', { 'test/pen.test.js': '// 5\n' }]]);
    const tests = await builder.merge('cover', 'Merge pull request #6 from nib/cover\n\nTest for #5');
    await fixture.walk(builder, async ({ found, read }) => {
      assert.deepEqual(found, [{ commit, brought, tests }]);
      const { base, reference, hidden } = await read(0);
      assert.deepEqual([base, paths(reference), paths(hidden)], [t0, ['lib/pen.js'], ['test/pen.test.js']]);
    });
  });

  const other = (index: number): [string, Record<string, string>] => [`Note ${index}`, { [`notes-${index}.md`]: '' }];
  const lost: [string, [string, Record<string, string>][]][] = [
    [
      'come after more than four others',
      [['Dry pens write', PEN], ...[1, 2, 3, 4, 5].map(other), ['Cover it', PEN_TESTS]],
    ],
    [
      'come with other code',
      [
        ['Dry pens write', PEN],
        ['Cover it', { ...PEN_TESTS, 'package.json': '{"name":"pens"}' }],
      ],
    ],
    [
      'come after another change of the same file',
      [
        ['Dry pens write', PEN],
        ['Tune', { 'lib/pen.js': 'exports.pen = 3;\n' }],
        ['Cover it', PEN_TESTS],
      ],
    ],
    [
      'were changed between',
      [
        ['Dry pens write', PEN],
        ['Tune', { 'test/pen.test.js': '', 'package.json': '{"name":"pens"}' }],
        ['Cover it', PEN_TESTS],
      ],
    ],
    [
      'have nothing to do with it',
      [
        ['Dry pens write', PEN],
        ['Cover it', { 'test/ink.test.js': '// more\n' }],
      ],
    ],
    [
      'follow a chore',
      [
        ['Refactor pens', PEN],
        ['Cover it', PEN_TESTS],
      ],
    ],
  ];
  test('are none when the tests come too late, with other things, or for other things', async () => {
    for (const [index, [why, commits]] of lost.entries()) {
      const builder: RepositoryBuilder = await fixture.start(`lost-${index}`);
      for (const [message, files] of commits) await builder.commit(message, files);
      await fixture.walk(builder, ({ found }: Walked) =>
        assert.deepEqual(
          found.filter(({ tests }) => tests !== undefined),
          [],
          why,
        ),
      );
    }
  });

  test('count once: the first tests alone, and no test for two fixes of the same file', async () => {
    const builder = await fixture.start('twice');
    await builder.commit('Dry pens write', PEN);
    const second = await builder.commit('Wet pens write', {
      'lib/pen.js': `${PEN['lib/pen.js']}exports.wetPen = 1;\n`,
    });
    const tests = await builder.commit('Cover them', { 'test/pen.test.js': '// dryPen wetPen\nwetPen;\ndryPen;\n' });
    await builder.commit('Cover more', { 'test/ink.test.js': '// wetPen\nwetPen;\n' });
    await fixture.walk(builder, ({ found }) => assert.deepEqual(found, [{ commit: second, tests }]));
  });
});
