import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bubblewrapProvider } from '@assay/sandbox';
import { RepositoryBuilder } from '@assay/testkit';
import { importRepository, type ImportedRepository } from '../git/import-repository.ts';
import { candidateOfChange } from './candidate-of-change.ts';
import type { Candidate } from './candidate.ts';
import type { MineContext } from './mine-context.ts';

const SOURCE = `exports.tally = (words) => {
  const counts = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
};
`;
export const FIXED = SOURCE.replace('const counts = {};', 'const counts = Object.create(null);');
const OWN_TESTS = `const { test } = require('node:test');
const assert = require('node:assert');
const { tally } = require('../lib/tally.js');

test('counts words', () => {
  assert.strictEqual(tally(['a', 'b', 'a']).a, 2);
});
`;
export const NEW_TESTS = `${OWN_TESTS}
test('counts a word that every object has', () => {
  assert.strictEqual(tally(['constructor']).constructor, 1);
});
`;
export const MESSAGE = `Count words that are named like properties of every object

When a text holds the word \`constructor\`, \`tally\` gives a string for it in place of a number. Each word of the text should have the number of
times that it occurs, whatever the word is called.`;

/**
 * A small repository without dependencies whose head has a bug, and everything that the stages need to make a task of
 * it.
 */
export class MineFixture {
  readonly directory: string;
  readonly builder: RepositoryBuilder;
  readonly repository: ImportedRepository;
  readonly context: MineContext;
  readonly progress: string[] = [];

  private constructor(directory: string, builder: RepositoryBuilder, repository: ImportedRepository) {
    this.directory = directory;
    this.builder = builder;
    this.repository = repository;
    this.context = {
      pipeline: { name: 'made_up', statementSource: 'row', read: () => Promise.reject(new Error('nothing to read')) },
      repository,
      provider: bubblewrapProvider(),
      model: null,
      cacheDirectory: join(directory, 'cache'),
      specificity: 'tell',
      minKilled: 0,
      mutantsAtOnce: 2,
      progress: (text) => this.progress.push(text),
    };
  }

  /** Makes the fixture; `files` are added to those of the head. */
  static async make(files: Record<string, string> = {}): Promise<MineFixture> {
    const directory = await mkdtemp(join(tmpdir(), 'assay-mine-'));
    const builder = await RepositoryBuilder.create(join(directory, 'tally'));
    await builder.commit('First version', {
      'package.json': JSON.stringify({ name: 'tally', version: '1.0.0', scripts: { test: 'node --test' } }),
      'lib/tally.js': SOURCE,
      'test/tally.test.js': OWN_TESTS,
      ...files,
    });
    const repository = await importRepository(builder.directory, join(directory, 'cache'));
    return new MineFixture(directory, builder, repository);
  }

  async dispose(): Promise<void> {
    await this.repository.dispose();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** The context with a pipeline that reads what it is told to. */
  reading(read: MineContext['pipeline']['read']): MineContext {
    return { ...this.context, pipeline: { ...this.context.pipeline, read } };
  }

  /** Makes a candidate of the bug's solution and tests, with other files replacing them or beside them. */
  candidate(files: Record<string, string> = {}, message = MESSAGE): Promise<Candidate> {
    const all = { 'lib/tally.js': FIXED, 'test/tally.test.js': NEW_TESTS, ...files };
    const change = {
      files: Object.entries(all).map(([path, text]) => ({ path, content: Buffer.from(text), executable: false })),
      deleted: [],
    };
    return candidateOfChange(this.repository, { base: this.repository.head, change }, { message });
  }
}
