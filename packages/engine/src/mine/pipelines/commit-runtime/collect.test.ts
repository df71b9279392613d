import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { RepositoryBuilder } from '@assay/testkit';
import type { Candidate } from '../../candidate.ts';
import { importRepository } from '../../../git/import-repository.ts';
import { commitRuntime } from './pipeline.ts';

describe('the walk through a history', () => {
  let directory = '';
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-walk-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const walk = async (builder: RepositoryBuilder): Promise<{ commits: (string | undefined)[]; text: string }> => {
    const repository = await importRepository(builder.directory, join(directory, 'cache'));
    try {
      const { found, notes } = await (await commitRuntime.open({}))({ repository });
      const commits = (await Array.fromAsync(found)).map(({ commit }) => commit);
      return { commits, text: notes?.().text ?? '' };
    } finally {
      await repository.dispose();
    }
  };

  test('a language that nobody supports is told, with the number of commits', async () => {
    const builder = await RepositoryBuilder.create(join(directory, 'gopher'));
    await builder.commit('First', { 'go.mod': 'module gopher\n', 'a.go': 'package a\n' });
    for (const value of [1, 2])
      await builder.commit(`Fix ${value}`, {
        'a.go': `package a // ${value}\n`,
        'a_test.go': `package a // ${value}\n`,
      });
    await builder.commit('Build it', { Makefile: 'all:\n', 'run.sh': 'true\n' });
    assert.deepEqual(await walk(builder), {
      commits: [],
      text:
        '3 commits walked, 0 with code and tests of a known language, ' +
        'Go files (2 commits): not supported, Shell files (1 commit): not supported',
    });
  });

  test('a change that the history holds twice is one candidate, the newest', async () => {
    const builder = await RepositoryBuilder.create(join(directory, 'twice'));
    const files = (value: number): Record<string, string> => ({
      'lib/a.js': `exports.a = ${value};\n`,
      'test/a.test.js': `// ${value}\n`,
    });
    await builder.commit('First', { 'package.json': '{"name":"twice"}', ...files(1) });
    const first = await builder.commit('Mend it', { ...files(2), 'CHANGES.md': 'mended\n' });
    const back = await builder.commit('Revert it', files(1));
    const again = await builder.commit('Mend it again', { ...files(2), 'CHANGES.md': 'mended again\n' });
    const other = await builder.commit('Mend more', files(3));
    const { commits, text } = await walk(builder);
    assert.deepEqual(commits, [other, again, back]);
    assert.ok(!commits.includes(first));
    assert.match(
      text,
      /4 commits walked, 3 with code and tests of a known language, 1 commit with the change of another$/,
    );
  });

  test('a message that sums up several changes is thin, unless a text for users tells them', async () => {
    const builder = await RepositoryBuilder.create(join(directory, 'several'));
    const files = (value: number): Record<string, string> => ({
      'lib/a.js': `exports.a = ${value};\n`,
      'test/a.test.js': `// ${value}\n`,
    });
    const entries = (...lines: string[]): Record<string, string> => ({
      'CHANGELOG.md': `# Changes\n\n${lines.map((line) => `- ${line}\n`).join('')}- Older\n`,
    });
    await builder.commit('First', { 'package.json': '{"name":"several"}', ...files(1), ...entries() });
    const several = await builder.commit('Reader: six crash fixes\n\nEmpty rows no longer end it.', files(2));
    const told = ['Empty rows are kept', 'Pens are shown in colours', 'Inks dry over night'];
    const one = await builder.commit('Keep rows that are empty', { ...files(3), ...entries(...told) });
    const repository = await importRepository(builder.directory, join(directory, 'cache'));
    const read = (commit: string): Promise<Candidate> => commitRuntime.read({ commit }, { repository, model: null });
    try {
      await assert.rejects(read(several), { reason: 'thin_statement' });
      const { sources = [] } = await read(one);
      assert.deepEqual(
        sources.map(({ text }) => text),
        ['Keep rows that are empty', 'Empty rows are kept'],
      );
    } finally {
      await repository.dispose();
    }
  });
});
