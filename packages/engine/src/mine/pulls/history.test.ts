import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Rejection } from '../candidate.ts';
import { commitRuntime } from '../pipelines/commit-runtime/pipeline.ts';
import { both, WalkFixture } from '../pipelines/walking.fixture.ts';
import { prRuntime } from '../pipelines/pr-runtime/pipeline.ts';

describe('pull requests that the history names', () => {
  let walks: WalkFixture;
  before(async () => {
    walks = await WalkFixture.make();
  });
  after(() => walks.dispose());

  test('by merge, by squash and by rebase, each with the change that the history has of it', async () => {
    const builder = await walks.start('named');
    const squashed = await builder.commit('Mend the pen (#2)', both('pen', 2));
    const branch = await walks.onBranch(builder, 'two', [
      ['First half', both('ink', 2)],
      ['Second half', both('ink', 3)],
    ]);
    const merged = await builder.merge('two', 'Merge pull request #3 from someone/two\n\nMend the ink');
    const [own = ''] = await walks.onBranch(builder, 'one', [['Mend the pen more', both('pen', 4)]]);
    const gitlab = await builder.merge('one', "Merge branch 'one' into 'main'\n\nPens\n\nSee merge request ink/pot!4");
    const rebased = [
      await builder.commit('Change the pen\n\nReviewed-on: https://code.example/ink/pot/pulls/5', both('pen', 5)),
      await builder.commit('Change it again\n\nReviewed-on: https://code.example/ink/pot/pulls/5', both('pen', 6)),
    ];
    await builder.commit('No pull request', both('pen', 7));
    await builder.commit('Text (#6)', { 'README.md': 'more' });
    await walks.walk(
      builder,
      async ({ labels, found, text, read }) => {
        assert.deepEqual(labels, ['#5', '#4', '#3', '#2']);
        assert.deepEqual(found, [
          { base: gitlab, commit: rebased[1], brought: rebased },
          { commit: own },
          { commit: merged, brought: branch },
          { commit: squashed },
        ]);
        assert.match(text, /^5 pull requests looked at, 4 with code and tests .*, 1 without code and tests/);
        const { base, reference } = await read(0);
        assert.equal(base, gitlab);
        assert.equal(reference.files[0]?.content.toString(), 'exports.pen = 6;\n');
      },
      { pipeline: prRuntime },
    );
  });

  test('what commits tell as well is the same candidate, whoever finds it', async () => {
    const builder = await walks.start('same');
    await builder.commit('Mend the pen (#2)', both('pen', 2));
    await walks.onBranch(builder, 'two', [
      ['First half', both('ink', 2)],
      ['Second half', both('ink', 3)],
    ]);
    await builder.merge('two', 'Merge pull request #3 from someone/two\n\nMend the ink');
    await walks.onBranch(builder, 'one', [['Mend the pen more', both('pen', 4)]]);
    await builder.merge('one', 'Merge pull request #4 from someone/one\n\nPens');
    const changes = async (pipeline: typeof prRuntime): Promise<unknown[]> => {
      const all: unknown[] = [];
      await walks.walk(
        builder,
        async ({ found, read }) => {
          for (const [index, names] of found.entries()) {
            const { base, reference, hidden, message } = await read(index);
            all.push({ ...names, base, reference, hidden, message });
          }
        },
        { pipeline },
      );
      return all;
    };
    assert.deepEqual(await changes(prRuntime), await changes(commitRuntime));
  });

  test('a merge of a maintained line, a revert, and a change that was picked twice', async () => {
    const builder = await walks.start('odd');
    await walks.onBranch(builder, '8.0.x', [['Mend the ink (#7)', both('ink', 2)]]);
    await builder.merge('8.0.x', 'Merge pull request #8 from pot/8.0.x\n\n8.0.x');
    await builder.commit('Mend the pen (#9)', both('pen', 2));
    await builder.commit('Revert "Mend the pen (#9)" (#10)', both('pen', 1));
    await builder.commit('Mend the pen (#9) (#11)', both('pen', 2));
    await walks.walk(
      builder,
      async ({ labels, text, read }) => {
        assert.deepEqual(labels, ['#11', '#10', '#7']);
        assert.match(text, /1 of maintained lines or several pull requests.*, 1 with the change of another/);
        await assert.rejects(read(1), (error) => error instanceof Rejection && error.reason === 'chore');
      },
      { pipeline: prRuntime },
    );
  });
});
