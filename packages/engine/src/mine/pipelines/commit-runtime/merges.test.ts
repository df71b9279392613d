import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { RepositoryBuilder } from '@assay/testkit';
import { importRepository } from '../../../git/import-repository.ts';
import { freshRepository } from '../../../git/fresh-repository.ts';
import { runGit } from '../../../git/run-git.ts';
import type { Candidate } from '../../candidate.ts';
import { commitRuntime } from './pipeline.ts';

const both = (name: string, value: number): Record<string, string> => ({
  [`lib/${name}.js`]: `exports.${name} = ${value};\n`,
  [`test/${name}.test.js`]: `// ${name} ${value}\n`,
});

describe('merges of several commits', () => {
  let directory = '';
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-merges-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const start = async (name: string): Promise<RepositoryBuilder> => {
    const builder = await RepositoryBuilder.create(join(directory, name));
    await builder.commit('First', { 'package.json': '{"name":"ink"}', ...both('pen', 1), ...both('ink', 1) });
    return builder;
  };
  const onBranch = async (
    builder: RepositoryBuilder,
    name: string,
    commits: [string, Record<string, string>][],
  ): Promise<string[]> => {
    await builder.git('checkout', '--quiet', '-b', name);
    const made: string[] = [];
    for (const [message, files] of commits) made.push(await builder.commit(message, files));
    await builder.checkout('main');
    return made;
  };

  interface Walked {
    found: { commit?: string; brought?: readonly string[] }[];
    text: string;
    read: (index: number) => Promise<Candidate>;
    /** Objects of a repository that is newly made of a commit. */
    objectsAt: (commit: string) => Promise<string[]>;
  }
  const walking = async (builder: RepositoryBuilder, look: (walked: Walked) => Promise<void>): Promise<void> => {
    const repository = await importRepository(builder.directory, join(directory, 'cache'));
    try {
      const { found, notes } = await (await commitRuntime.open({}))({ repository });
      const all = await Array.fromAsync(found);
      await look({
        found: all.map(({ commit, brought }) => ({ commit, ...(brought && { brought }) })),
        text: notes?.().text ?? '',
        read: (index) => commitRuntime.read(all[index]?.data, { repository, model: null }),
        objectsAt: async (commit) => {
          const made = await mkdtemp(join(directory, 'fresh-'));
          await freshRepository(repository, commit, join(made, '.git'));
          const listed = await runGit(join(made, '.git'), ['cat-file', '--batch-all-objects', '--batch-check']);
          return listed
            .toString()
            .split('\n')
            .map((line) => line.slice(0, 40));
        },
      });
    } finally {
      await repository.dispose();
    }
  };

  test('are one candidate against their first parent, told by the merge and its commits', async () => {
    const builder = await start('pull');
    const brought = await onBranch(builder, 'dry-pens', [
      ['Write with dry pens\n\nA dry pen writes nothing today.', { 'lib/pen.js': 'exports.pen = 2;\n' }],
      ['Fix lint', { 'lib/ink.js': 'exports.ink = 2;\n' }],
      ['Add tests', { 'test/pen.test.js': '// pen 2\n' }],
    ]);
    const t0 = await builder.commit('Meanwhile', { 'lib/other.js': 'exports.other = 1;\n' });
    await builder.checkout('dry-pens');
    await builder.merge('main', "Merge branch 'main' into dry-pens");
    await builder.checkout('main');
    const merge = await builder.merge('dry-pens', 'Merge pull request #12 from nib/dry-pens\n\nDry pens');
    await walking(builder, async ({ found, text, read, objectsAt }) => {
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
      const objects = new Set(await objectsAt(base));
      const fixed = await Promise.all(
        ['', ':lib/pen.js', ':lib/ink.js', ':test/pen.test.js'].map((part) => builder.resolve(`${merge}${part}`)),
      );
      for (const object of [...fixed, ...brought]) assert.ok(!objects.has(object), object);
      assert.ok(objects.has(await builder.resolve(`${t0}:lib/pen.js`)), 'the control: what T0 holds is there');
    });
  });

  test('hold fixes that could stand alone: these are counted once, wherever else they lie', async () => {
    const builder = await start('several');
    const brought = await onBranch(builder, 'two', [
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
    await walking(builder, async ({ found, text, read }) => {
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
    const builder = await start('maintained');
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
    await walking(builder, async ({ found }) =>
      assert.deepEqual(found, [{ commit: inner, brought }, { commit: more }, { commit: alone }]),
    );
  });

  for (const [name, message, mends] of [
    ['a maintained line', "Merge branch '8.0.x'", ['Mend the ink', 'Mend the pen']],
    ['a pull from elsewhere', "Merge branch 'main' of code.example:ink/ink", ['Mend the ink', 'Mend the pen']],
    ['pull requests that were looked at one by one', 'Merge it', ['Mend the ink (#1)', 'Mend the pen (#2)']],
  ] as const)
    test(`of ${name} are no candidate, their commits are`, async () => {
      const builder = await start(`single-${name.length}`);
      const [ink, pen] = await onBranch(builder, 'side', [
        [mends[0], both('ink', 2)],
        [mends[1], both('pen', 2)],
      ]);
      await builder.merge('side', message);
      await walking(builder, async ({ found }) => assert.deepEqual(found, [{ commit: pen }, { commit: ink }]));
    });

  test('that change more files than a task should are no candidate, their commits are', async () => {
    const builder = await start('large');
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`lib/part-${index}.js`, '']));
    const [ink] = await onBranch(builder, 'side', [
      ['Mend the ink', both('ink', 2)],
      ['Split it', many],
    ]);
    await builder.merge('side', 'Merge it all');
    await walking(builder, async ({ found }) => assert.deepEqual(found, [{ commit: ink }]));
  });
});
