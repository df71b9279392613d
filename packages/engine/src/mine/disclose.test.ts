import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { SplitOracle } from '../bundle/split-oracle.ts';
import { build, type Built } from './2-build.ts';
import { prove, type Proven } from './3-prove.ts';
import { splitTests } from './4-split.ts';
import { Rejection, type Candidate } from './candidate.ts';
import { disclose, requireOutside, type Disclosed } from './disclose.ts';
import type { MineContext } from './mine-context.ts';
import { FIXED, MineFixture, NEW_TESTS } from './mine.fixture.ts';
import { toldBy } from './statement.ts';

const TOLD = toldBy('message', 'Count every word', 'A tally counts the word `constructor` as well, and refuses text.');
const LINES = {
  'lib/tally.js': `${FIXED}exports.tallyOfLines = (text, separator = '|') => exports.tally(text.split(separator));\n`,
  'test/tally.test.js': `${NEW_TESTS}
test('lines', () => {
  assert.strictEqual(require('../lib/tally.js').tallyOfLines('a|b').a, 1);
});
`,
};
const REFUSES = {
  'lib/tally.js': FIXED.replace(
    '  const counts',
    "  if (!Array.isArray(words)) throw new TypeError('a list of words is needed here');\n  const counts",
  ),
  'test/tally.test.js': `${NEW_TESTS}
test('refuses', () => {
  assert.throws(() => tally('some text'), { name: 'TypeError', message: 'a list of words is needed here' });
});
`,
};

const undisclosed = (error: unknown): boolean => error instanceof Rejection && error.reason === 'undisclosed_symbol';

describe('demands beyond the instruction', () => {
  let fixture: MineFixture;
  before(async () => {
    fixture = await MineFixture.make({
      // Tests of older ones cannot be taken apart.
      'package.json': JSON.stringify({ name: 'tally', engines: { node: '>=22' }, scripts: { test: 'node --test' } }),
    });
  });
  after(() => fixture.dispose());

  const decide = (
    candidate: Candidate,
    parts: { built: Built; split: SplitOracle | null },
    specificity: MineContext['specificity'],
  ): Promise<Disclosed> => disclose(candidate, { told: TOLD, ...parts }, { specificity });

  test('a function that only the tests know is told as it is called, or rejects', async () => {
    const candidate = await fixture.candidate(LINES);
    const parts = { built: await build(candidate, fixture.context), split: null };
    for (const policy of ['tell', 'relax'] as const) {
      const { statement, relaxed } = await decide(candidate, parts, policy);
      assert.deepEqual(
        statement.disclosed.map(({ signature }) => signature),
        ['tallyOfLines(text, separator="|")'],
      );
      assert.deepEqual(relaxed, []);
    }
    await assert.rejects(decide(candidate, parts, 'reject'), undisclosed);
  });

  describe('the words of an exception', () => {
    let candidate: Candidate;
    let built: Built;
    let proven: Proven;
    let split: SplitOracle | null;
    before(async () => {
      candidate = await fixture.candidate(REFUSES);
      built = await build(candidate, fixture.context);
      proven = await prove(candidate, built, fixture.context);
      split = await splitTests(candidate, { built, proven }, fixture.context);
    });

    test('are told by default', async () => {
      const { statement, relaxed } = await decide(candidate, { built, split }, 'tell');
      assert.deepEqual(
        [statement.disclosed.map(({ text }) => text), relaxed],
        [['a list of words is needed here'], []],
      );
    });

    test('are relaxed to its class where they are compared outside', async () => {
      const { statement, relaxed } = await decide(candidate, { built, split }, 'relax');
      assert.deepEqual([statement.disclosed, relaxed.length], [[], 1]);
      const again = await splitTests(candidate, { built, proven, relaxed }, fixture.context);
      requireOutside(again, relaxed);
      const site = again?.plan.sites.find(({ id }) => id === relaxed[0]);
      assert.deepEqual([site?.relaxed, site?.form], [true, 'assert.throws']);
      assert.ok(JSON.stringify(split?.plan.expectations).includes('a list of words is needed here'));
      assert.ok(!JSON.stringify(again?.plan.expectations).includes('a list of words is needed here'));
      assert.ok(JSON.stringify(again?.plan.expectations).includes('TypeError'));
    });

    test('are told where they are compared in the process of the submission', async () => {
      const { statement, relaxed } = await decide(candidate, { built, split: null }, 'relax');
      assert.deepEqual([statement.disclosed.length, relaxed], [1, []]);
      assert.throws(() => requireOutside(null, [0]), undisclosed);
    });
  });
});
