import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChangeSet } from '@assay/files/change-set';
import { compareChanges, type Comparison } from './compare-changes.ts';
import { scoreByProfile } from './score-by-profile.ts';

const FAR = Array.from({ length: 20 }, (_, index) => `far${index}`).join(' ');
const BASE: Record<string, string> = { 'a.x': `if ( a > b ) return a ; ${FAR} let c = one ;`, 'b.x': 'let d = 1 ;' };
/** Two parts in one file, one in another. */
const REFERENCE = { 'a.x': `if ( a >= b ) return a ; ${FAR} let c = one + two ;`, 'b.x': 'let d = 2 ;' };

const changeOf = (files: Record<string, string | null>): ChangeSet => ({
  files: Object.entries(files).flatMap(([path, text]) =>
    text === null ? [] : [{ path, content: Buffer.from(text), executable: false }],
  ),
  deleted: Object.entries(files).flatMap(([path, text]) => (text === null ? [path] : [])),
});
const before = (path: string): Buffer | null => (BASE[path] === undefined ? null : Buffer.from(BASE[path]));

/** A language whose tokens stand between spaces, and in which `BROKEN` does not parse. */
const compared = (
  submission: Record<string, string | null>,
  reference: Record<string, string | null> = REFERENCE,
): Promise<Comparison> =>
  compareChanges({
    reference: changeOf(reference),
    submission: changeOf(submission),
    before,
    counts: (path) => !path.startsWith('test/'),
    isCode: (path) => path.endsWith('.x'),
    readTokens: async (sources) =>
      sources.map(({ text }) => (text.includes('BROKEN') ? null : text.split(/\s+/).filter((token) => token !== ''))),
  });
const scoreOf = async (...args: Parameters<typeof compared>): Promise<number> => (await compared(...args)).score;

describe('a submission compared with the reference', () => {
  test('the same alone is worth 1, nothing 0', async () => {
    assert.equal(await scoreOf(REFERENCE), 1);
    assert.equal(await scoreOf({}), 0);
    assert.equal((await compared(REFERENCE)).parts.length, 3);
  });

  test('layout makes no difference', async () => {
    assert.equal(await scoreOf({ ...REFERENCE, 'b.x': 'let  d\n= 2\n;\n' }), 1);
  });

  test('a part is there or is not: a wrong change in its place earns nothing', async () => {
    const [only] = [{ 'b.x': 'let d = 2 ;' }];
    assert.equal(await scoreOf(only, only), 1);
    for (const wrong of ['let d = 3 ;', 'let d = ;', 'let d = 2 2 ;', 'let e = 2 ;', '', 'let d = 2 ; ;'])
      assert.equal(await scoreOf({ 'b.x': wrong }, only), 0, wrong);
    const long = { 'b.x': `let d = 1 ; ${FAR} if ( c ) return 2 ;` };
    assert.equal(await scoreOf({ 'b.x': `let d = 1 ; ${FAR} if ( c ) return 3 ;` }, long), 0);
  });

  test('some parts are worth half of their share, less for what stands beside them', async () => {
    const some = await scoreOf({ 'a.x': REFERENCE['a.x'] });
    assert.ok(some > 0.25 && some < 0.5, String(some));
    const withWrong = await scoreOf({ 'a.x': REFERENCE['a.x'], 'b.x': 'let d = 3 ;' });
    assert.ok(withWrong < some, String(withWrong));
    assert.ok((await scoreOf({ ...REFERENCE, 'c.x': FAR })) < 0.2);
  });

  test('the right change in another place is none', async () => {
    const only = { 'b.x': 'let d = 2 ;' };
    assert.equal(await scoreOf({ 'c.x': 'let d = 2 ;' }, only), 0);
    assert.equal(await scoreOf({ 'a.x': `${BASE['a.x']} 2` }, only), 0);
  });

  test('files that do not count make no difference, and those that do not parse are worth nothing', async () => {
    assert.equal(await scoreOf({ ...REFERENCE, 'test/a.x': 'more' }), 1);
    const broken = await compared({ ...REFERENCE, 'c.x': 'BROKEN' });
    assert.deepEqual([broken.score, broken.broken], [0, ['c.x']]);
  });

  test('a file that is gone, or new and empty, is a part of its own', async () => {
    assert.equal(await scoreOf({ 'b.x': null }, { 'b.x': null }), 1);
    assert.equal(await scoreOf({ 'b.x': '' }, { 'b.x': null }), 0);
    assert.equal(await scoreOf({}, { 'n.x': '' }), 0);
    assert.equal(await scoreOf({ 'n.x': '' }, { 'n.x': '' }), 1);
  });

  test('data is compared by its lines, and bytes as a whole', async () => {
    const data = { 'a.json': '{\n "a": 1\n}\n' };
    assert.equal(await scoreOf({ 'a.json': '{\n "a": 1  \n}' }, data), 1);
    assert.equal(await scoreOf({ 'a.json': '{\n "a": 2\n}\n' }, data), 0);
    const odd: ChangeSet = {
      files: [{ path: 'a.bin', content: Buffer.from([0, 255]), executable: false }],
      deleted: [],
    };
    const other = { ...odd, files: [{ path: 'a.bin', content: Buffer.from([0, 254]), executable: false }] };
    const request = { before, counts: () => true, isCode: () => true, readTokens: async () => [] };
    assert.equal((await compareChanges({ ...request, reference: odd, submission: odd })).score, 1);
    assert.equal((await compareChanges({ ...request, reference: odd, submission: other })).score, 0);
  });
});

describe('profiles of a comparison', () => {
  const reference = changeOf({ 'b.x': 'let d = 2 ;\n' });
  const old = (): Buffer => Buffer.from('let d = 1 ;\n');
  const reward = async (
    profile: 'strict' | 'repo2rlenv',
    text: string | null,
    judge: number | null = null,
  ): Promise<number> => {
    const submission = text === null ? changeOf({}) : changeOf({ 'b.x': text });
    const comparison = await compareChanges({
      reference,
      submission,
      before: old,
      counts: () => true,
      isCode: () => true,
      readTokens: async (sources) => sources.map((source) => source.text.split(/\s+/)),
    });
    const scored = scoreByProfile(profile, { comparison, reference, submission, before: old }, judge);
    return Math.round(scored.reward * 100) / 100;
  };

  test('a wrong change in the right place: 0, where the sum of parts gives 0.95', async () => {
    assert.equal(await reward('repo2rlenv', 'let d = 3 ;\n'), 0.95);
    assert.equal(await reward('strict', 'let d = 3 ;\n'), 0);
  });

  test('the reference and nothing, in both', async () => {
    for (const profile of ['strict', 'repo2rlenv'] as const) {
      assert.equal(await reward(profile, 'let d = 2 ;\n'), 1);
      assert.equal(await reward(profile, null), 0);
    }
  });

  test('a judge is half of the sum of parts, and counts in ours where the texts differ', async () => {
    assert.equal(await reward('repo2rlenv', 'let d = 2 ;\n', 0.9), 0.95);
    assert.equal(await reward('strict', 'let d = 2 ;\n', 0.9), 1);
    assert.equal(await reward('strict', 'let d = 1 + 1 ;\n', 0.9), 0.9);
  });

  test('a change of wild size stays below the cap', async () => {
    const wild = `${'let x = 1 ;\n'.repeat(200)}let d = 2 ;\n`;
    assert.equal((await reward('repo2rlenv', wild, 1)) <= 0.4, true);
  });
});
