import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { mineCandidate } from '../mine/mine-candidate.ts';
import { MineFixture } from '../mine/mine.fixture.ts';
import { showTask } from './show-task.ts';

test('a task whose submissions are compared is shown with its sentences and why no test decides', async () => {
  const fixture = await MineFixture.make();
  try {
    const candidate = await fixture.candidate();
    const bundle = join(fixture.directory, 'task');
    const compared = { profile: 'strict', judged: true, always: true } as const;
    const ended = await mineCandidate(
      'x',
      bundle,
      fixture.reading(async () => ({ ...candidate, compared })),
    );
    assert.equal(ended.outcome, 'admitted', JSON.stringify(ended));
    const { statement, tests, runner, trust, proof } = await showTask(bundle);
    assert.equal(statement[0]?.text, 'Count words that are named like properties of every object');
    assert.deepEqual(tests, []);
    assert.match(runner, /^compared in 1 parts by the profile strict$/);
    assert.match(trust.reasons.join('; '), /a model judges .*no test decides: nobody looked for tests/);
    assert.deepEqual(proof?.reference, { runs: 3, passes: 3 });
  } finally {
    await fixture.dispose();
  }
});
