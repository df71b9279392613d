import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { startFakeForge } from '../forges/fake-forge.fixture.ts';
import { WORDINGS } from '../forges/wordings.fixture.ts';
import { both, WalkFixture } from '../pipelines/walking.fixture.ts';
import { prRuntime } from '../pipelines/pr-runtime/pipeline.ts';

const TOKEN = 'secret-token-0123456789';

describe('pull requests of a forge', () => {
  const kept = { ...process.env };
  let walks: WalkFixture;
  before(async () => {
    walks = await WalkFixture.make();
    process.env['ASSAY_CACHE'] = join(walks.directory, 'cache');
    process.env['POT_TOKEN'] = TOKEN;
  });
  after(async () => {
    process.env = kept;
    await walks.dispose();
  });

  test('are joined with the history, told by their issues, and leave no token anywhere', async () => {
    const builder = await walks.start('forge');
    const rebased = [
      await builder.commit('First part', both('pen', 2)),
      await builder.commit('Second part', both('pen', 3)),
    ];
    const things = {
      pulls: [
        {
          number: 12,
          title: 'Keep rows',
          body: 'Fixes #7.',
          merged: true,
          mergeCommit: rebased[1] ?? '',
          commits: ['First part', 'Second part'],
        },
        { number: 11, title: 'Lost', body: '', merged: true, mergeCommit: 'c'.repeat(40), commits: [] },
      ],
      issues: [{ number: 7, title: 'Empty rows', body: 'They are lost.' }],
    };
    for (const kind of ['github', 'gitlab', 'gitea'] as const) {
      const server = await startFakeForge(WORDINGS[kind], things, { token: TOKEN });
      try {
        await walks.walk(
          builder,
          async ({ labels, found, leftOut, read }) => {
            assert.deepEqual(labels, ['#12']);
            assert.deepEqual(found[0]?.brought, rebased);
            assert.deepEqual(leftOut, ['#11: whose commits the clone lacks']);
            const { sources = [] } = await read(0);
            assert.deepEqual(
              sources.slice(0, 2).map(({ source, text }) => [source, text]),
              [
                ['issue', 'Empty rows\n\nThey are lost.'],
                ['pull request', 'Keep rows\n\nFixes #7.'],
              ],
            );
          },
          { pipeline: prRuntime, options: { forge: server.address, forgeKind: kind, tokenEnv: 'POT_TOKEN' } },
        );
      } finally {
        await server.close();
      }
    }
    const entries = await readdir(walks.directory, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    assert.ok(files.some((path) => path.includes('/forges/')));
    for (const path of files) assert.ok(!`${path}${await readFile(path, 'latin1')}`.includes(TOKEN), path);
  });

  test('options that do not go together', async () => {
    const forge = 'https://github.com/ink/pot';
    for (const [options, pattern] of [
      [{ forgeKind: 'github' }, /^--forge-kind: it needs --forge/],
      [{ tokenEnv: 'POT_TOKEN' }, /^--token-env: it needs --forge/],
      [{ forge, pulls: walks.directory }, /^--pulls: give it or --forge/],
    ] as const)
      await assert.rejects(
        prRuntime.open(options),
        (error) => AssayError.is(error) && error.code === 'BAD_OPTION' && pattern.test(error.message),
      );
  });
});
