import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import type { RepositoryBuilder } from '@assay/testkit';
import { Rejection } from '../candidate.ts';
import { both, WalkFixture, type Walked } from '../pipelines/walking.fixture.ts';
import { prRuntime } from '../pipelines/pr-runtime/pipeline.ts';

const HOST = 'https://code.example/ink/pot';

describe('pull requests of an export', () => {
  let walks: WalkFixture;
  before(async () => {
    walks = await WalkFixture.make();
  });
  after(() => walks.dispose());

  /** A row as `gh pr list --json …` gives it. */
  const row = (number: number, more: Record<string, unknown>): Record<string, unknown> => ({
    number,
    title: `Pull ${number}`,
    body: '',
    mergedAt: `2024-01-${String(10 + number).padStart(2, '0')}T00:00:00Z`,
    mergeCommit: null,
    baseRefName: 'master',
    isDraft: false,
    url: `${HOST}/pull/${number}`,
    ...more,
  });
  const issue = (number: number, createdAt: string, title: string): Record<string, unknown> => ({
    number,
    title,
    body: `Reading it gives nothing (${number}).`,
    createdAt,
    url: `${HOST}/issues/${number}`,
  });
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(walks.directory, name);
    await writeFile(path, text);
    return path;
  };
  const walk = async (
    builder: RepositoryBuilder,
    rows: readonly unknown[],
    look: (walked: Walked) => Promise<void> | void,
    urls?: readonly string[],
  ): Promise<void> => {
    const pulls = await write('pulls.json', JSON.stringify(rows));
    const fromUrls = urls && (await write('urls.txt', `# asked for\n\n${urls.join('\n')}\n`));
    await walks.walk(builder, look, { pipeline: prRuntime, options: { pulls, ...(fromUrls && { fromUrls }) } });
  };
  const oid = (commit: string): { mergeCommit: { oid: string } } => ({ mergeCommit: { oid: commit } });

  test('a default branch with another name, a rewritten history, rebased commits, and those that are none', async () => {
    const builder = await walks.start('export');
    const squashed = await builder.commit('Whatever it says', both('pen', 2));
    const rewritten = await builder.commit('Mend the ink (#2)', both('ink', 2));
    const rebased = [
      await builder.commit('First part', both('pen', 3)),
      await builder.commit('Second part', both('pen', 4)),
    ];
    const forwarded = await builder.commit('Forwarded', both('ink', 5));
    await builder.git('checkout', '--quiet', '-b', '1.x', squashed);
    const backport = await builder.commit('Backport', both('ink', 6));
    await builder.checkout('main');
    await builder.git('merge', '--quiet', '--no-ff', '-s', 'ours', '-m', 'Keep what lies elsewhere', '1.x');
    await builder.git('reset', '--quiet', '--hard', forwarded);
    const rows = [
      row(1, oid(squashed)),
      row(2, oid('d'.repeat(40))),
      row(3, {
        ...oid(rebased[1] ?? ''),
        commits: [{ messageHeadline: 'First part' }, { messageHeadline: 'Second part' }],
      }),
      row(4, { headRefOid: forwarded }),
      row(5, oid(backport)),
      row(6, oid('e'.repeat(40))),
      row(7, { mergedAt: null }),
      row(8, { isDraft: true }),
    ];
    await walk(builder, rows, ({ labels, found, text, leftOut }) => {
      assert.deepEqual(labels, ['#4', '#3', '#2', '#1']);
      assert.deepEqual(found, [
        { commit: forwarded },
        { base: rewritten, commit: rebased[1], brought: rebased },
        { commit: rewritten },
        { commit: squashed },
      ]);
      for (const words of ['1 not merged', '1 drafts', '1 whose commits the clone lacks', '1 merged to another line'])
        assert.ok(text.includes(words), text);
      assert.deepEqual(leftOut, ['#6: whose commits the clone lacks', '#5: merged to another line than HEAD']);
    });
    await walk(
      builder,
      rows,
      ({ found, leftOut }) => {
        assert.deepEqual(found, [{ commit: backport }, { commit: squashed }]);
        assert.deepEqual(leftOut, [
          'code.example/ink/pot #7: it was not merged, or its commits are not in the clone',
          'code.example/ink/pot #99: it was not merged, or its commits are not in the clone',
          `code.example/ink/pot ${'f'.repeat(10)}: it is not in the clone`,
        ]);
      },
      [
        `${HOST}/pull/5`,
        `${HOST}/commit/${squashed}`,
        `${HOST}/pull/7`,
        `${HOST}/pull/99/files`,
        `${HOST}/commit/${'f'.repeat(40)}`,
      ],
    );
  });

  test('the issue comes first, then the pull request; one that came later tells nothing', async () => {
    const builder = await walks.start('told');
    const commit = await builder.commit('pen: off by one', both('pen', 2));
    const rows = [
      row(3, { ...oid(commit), title: 'Keep rows', body: 'Fixes #7, closes #8.' }),
      issue(7, '2024-01-01T00:00:00Z', 'Empty rows are lost'),
      issue(8, '2024-02-01T00:00:00Z', 'Now the others are lost'),
    ];
    await walk(builder, rows, async ({ read }) => {
      const { sources = [] } = await read(0);
      assert.deepEqual(
        sources.map(({ source, text }) => [source, text.split('\n')[0]]),
        [
          ['issue', 'Empty rows are lost'],
          ['pull request', 'Keep rows'],
          ['message', 'pen: off by one'],
        ],
      );
    });
    await walk(builder, rows, ({ labels }) => assert.deepEqual(labels, ['#3']), [`${HOST}/issues/7`]);
  });

  test('one of 3,000 files is too large, and the others go on', async () => {
    const builder = await walks.start('large');
    const files = Object.fromEntries(
      Array.from({ length: 3000 }, (_, index) => [`lib/part-${index}.js`, `${index}\n`]),
    );
    const large = await builder.commit('Everything', { ...files, ...both('pen', 2) });
    const small = await builder.commit('One thing', both('ink', 2));
    await walk(builder, [row(1, oid(large)), row(2, oid(small))], async ({ labels, read }) => {
      assert.deepEqual(labels, ['#2', '#1']);
      await assert.rejects(read(1), (error) => error instanceof Rejection && error.reason === 'too_large');
    });
  });

  test('a file of addresses that names something else is refused by line', async () => {
    for (const [text, pattern] of [
      ['https://code.example/ink/pot\n', /line 1 .* is no address/],
      [`${HOST}/pull/1\n\nnot an address\n`, /line 3 /],
      ['# nothing\n', /names nothing/],
    ] as const) {
      const fromUrls = await write('bad.txt', text);
      await assert.rejects(
        prRuntime.open({ fromUrls }),
        (error) => AssayError.is(error) && error.code === 'BAD_OPTION' && pattern.test(error.message),
      );
    }
  });
});
