import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { ChangeSet } from '@assay/files/change-set';
import { nodeEcosystem } from '../ecosystems/node/node-ecosystem.ts';
import { chooseSuite, MOST_OTHERS, type ChosenSuite } from './choose-suite.ts';

describe('which tests stand for a suite', () => {
  let directory = '';
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-suite-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const change = (...paths: string[]): ChangeSet => ({
    files: paths.map((path) => ({ path, content: Buffer.from(''), executable: false })),
    deleted: [],
  });
  const choose = async (name: string, files: Record<string, string>): Promise<ChosenSuite> => {
    const t0Directory = join(directory, name);
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(t0Directory, path)), { recursive: true });
      await writeFile(join(t0Directory, path), text);
    }
    const changed = ['test/tally.test.js'];
    const candidate = { reference: change('lib/tally.js'), hidden: change(...changed), ecosystem: nodeEcosystem };
    return chooseSuite(candidate, { t0Directory, changed });
  };
  const body = "test('a', () => {});\n";
  const many = (folder: string, count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${folder}/n${index}.test.js`, body]));

  test('a small one stands for itself; helpers and what holds no test do not count', async () => {
    const files = { ...many('other', MOST_OTHERS), 'test/helper.js': 'exports.a = 1;\n', 'test/tally.test.js': body };
    assert.deepEqual(await choose('small', files), { files: MOST_OTHERS + 1, chosen: 'all', paths: [] });
  });

  test('of a large one: what loads, or is called after, what changes, then its neighbours; a limited number', async () => {
    const related = {
      'far/loads.test.js': `const { tally } = require('../lib/tally');\n${body}`,
      'far/tally-more.test.js': body,
      'test/neighbour.test.js': body,
    };
    const files = { ...many('other', 30), ...related };
    const chosen = await choose('large', files);
    assert.deepEqual(chosen, {
      files: 34,
      chosen: 'relevant',
      paths: ['far/loads.test.js', 'far/tally-more.test.js', 'test/neighbour.test.js', 'test/tally.test.js'],
    });
    const crowded = await choose('crowded', { ...files, ...many('test', 30) });
    assert.equal(crowded.paths.length, 1 + MOST_OTHERS);
    assert.ok(crowded.paths.includes('far/loads.test.js') && crowded.paths.includes('far/tally-more.test.js'));
  });
});
