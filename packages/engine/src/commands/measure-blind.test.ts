import assert from 'node:assert/strict';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { BlindReport } from '@assay/protocol';
import { startFakeModel } from '../../../lanes/src/fake-model/start-fake-model.ts';
import type { ScriptEntryInput } from '../../../lanes/src/fake-model/script.ts';
import { readTaskOf } from '../bundle/read-task.ts';
import { bench, setUpBench, tearDownBench } from '../trial/model-agents.fixture.ts';
import { measureBlind } from './measure-blind.ts';

before(() => setUpBench());
after(tearDownBench);

describe('a solver that tries a task with the instruction alone', () => {
  let copies = 0;
  let right: ScriptEntryInput;
  const wrong: ScriptEntryInput = { say: 'NOTES.md\n```\nNothing to do.\n```\n' };
  before(async () => {
    const fixed = await readFile(join(bench.home, 'repository', 'src', 'read-table.js'), 'utf8');
    right = { say: `src/read-table.js\n\`\`\`js\n${fixed}\`\`\`\n` };
  });

  /** One turn for each try. */
  async function tried(
    turns: ScriptEntryInput[],
    task?: string,
  ): Promise<{ blind: BlindReport; task: string; asked: number }> {
    const bundle = task ?? join(bench.home, `blind-${(copies += 1)}`);
    if (task === undefined) await cp(bench.repositoryTask, bundle, { recursive: true });
    const model = await startFakeModel({ script: { order: 'requests', turns } });
    try {
      const options = { tries: turns.length, model: { name: `m-${turns.length}`, endpoint: model.endpoints.openai } };
      const blind = await measureBlind(bundle, { ...options, parallel: 1 });
      return { blind, task: bundle, asked: model.requests.length };
    } finally {
      await model.close();
    }
  }

  test('some tries: how many, in the proof of a bundle that is whole; nobody is asked twice', async () => {
    const { blind, task } = await tried([right, wrong, { say: 'I would rather not.' }]);
    assert.deepEqual([blind.asked, blind.tries, blind.solved, blind.mark, blind.unsolved], [3, 2, 1, undefined, []]);
    const { meta } = await readTaskOf('repository', task);
    assert.deepEqual(meta.proof?.blind, blind);
    assert.ok(meta.proof?.reference.passes);
    const again = await tried([wrong], task);
    assert.deepEqual([again.blind, again.asked], [blind, 0]);
  });

  test('always and never: marked, with the tests of the fix that no try passed', async () => {
    const always = await tried([right, right]);
    assert.deepEqual([always.blind.mark, always.blind.solved, always.blind.unsolved], ['always_solved', 2, []]);
    const never = await tried([wrong]);
    const { meta } = await readTaskOf('repository', never.task);
    assert.equal(never.blind.mark, 'never_solved');
    assert.ok(never.blind.unsolved.length > 0);
    assert.ok(never.blind.unsolved.every((id) => meta.fail_to_pass.includes(id)));
  });

  test('tries in which the model hands in nothing say nothing about the task', async () => {
    const { blind } = await tried(Array.from({ length: 4 }, () => ({ say: 'I would rather not.' })));
    assert.deepEqual([blind.tries, blind.solved, blind.mark, blind.unsolved], [0, 0, undefined, []]);
  });
});
