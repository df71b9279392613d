import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { bubblewrapProvider } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';
import { nodeEcosystem } from '../../ecosystems/node/node-ecosystem.ts';
import { listMutants, type Mutant } from './list-mutants.ts';

const T0 = `exports.first = (all) => all[0];

exports.last = (all) => all[1];

// the end
`;
const FIXED = `exports.first = (all) => all[0];
exports.size = (all) => (all ? all.length : 0);

exports.last = (all) => {
  if (all.length === 0 && true) return null;
  return all[all.length - 1];
};

// the very end
`;

describe('mutants of a reference', () => {
  let directory = '';
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-mutants-'));
    await writeFile(join(directory, 'a.js'), T0);
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const changeOf = (files: Record<string, string>): ChangeSet => ({
    files: Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text), executable: false })),
    deleted: [],
  });
  const runtime = { environment: { mounts: () => [], env: {} }, provider: bubblewrapProvider() };
  const list = (files: Record<string, string>, limit = 100): Promise<Mutant[]> =>
    listMutants({ reference: changeOf(files), t0Directory: directory, ecosystem: nodeEcosystem, limit }, runtime);
  const told = ({ path, line, change }: Mutant): string => `${path}:${line} ${change}`;

  test('stand on lines that the change adds or alters, each with its place', async () => {
    const mutants = await list({ 'a.js': FIXED });
    assert.ok(
      mutants.map(told).includes('a.js:5 if (all.length === 0 && true) return null; -> if (true) return null;'),
    );
    assert.deepEqual([...new Set(mutants.map(({ line }) => line))].sort(), [2, 4, 5, 6]);
    const [mutant] = mutants;
    assert.ok(mutant && mutant.submission.files[0]?.content.toString() !== FIXED);
  });

  test('a hunk put back is one, unless it is a comment or the whole change', async () => {
    const hunks = (mutants: readonly Mutant[]): string[] =>
      mutants
        .filter(({ kind }) => kind === 'hunk')
        .map(({ submission }) => submission.files[0]?.content.toString() ?? '');
    const [size = '', last = '', ...none] = hunks(await list({ 'a.js': FIXED })).toSorted(
      (a, b) => a.length - b.length,
    );
    assert.deepEqual(none, []);
    assert.ok(size.includes('exports.size') && size.includes('all[1]') && size.includes('the very end'));
    assert.ok(!last.includes('exports.size') && last.includes('return null'));
    assert.deepEqual(hunks(await list({ 'a.js': T0.replace('all[1]', 'all.at(-1)') })), []);
    assert.equal(hunks(await list({ 'a.js': T0.replace('all[1]', 'all.at(-1)'), 'b.js': 'x();\n' })).length, 1);
  });

  test('a few of many are of every hunk and of several kinds, and the same every time', async () => {
    const some = await list({ 'a.js': FIXED, 'b.js': FIXED }, 8);
    assert.equal(some.length, 8);
    assert.ok(new Set(some.map(({ kind }) => kind)).size > 2);
    assert.deepEqual([...new Set(some.map(({ path }) => path))].sort(), ['a.js', 'b.js']);
    assert.deepEqual((await list({ 'a.js': FIXED, 'b.js': FIXED }, 8)).map(told), some.map(told));
    assert.deepEqual((await list({ 'a.js': FIXED, 'b.js': FIXED })).slice(0, 8).map(told), some.map(told));
  });

  test('data, bytes that are no text, and a language without mutants have none', async () => {
    assert.deepEqual(await list({ 'a.json': '{"a": 1}', 'b.js': 'a(\0);\n' }), []);
    const ecosystem = { codeFiles: nodeEcosystem.codeFiles };
    const request = { reference: changeOf({ 'a.js': FIXED }), t0Directory: directory, ecosystem, limit: 9 };
    assert.deepEqual(await listMutants(request, runtime), []);
  });
});
