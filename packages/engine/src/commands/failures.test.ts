import assert from 'node:assert/strict';
import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError, type ProgressEvent } from '@assay/protocol';
import { chooseProvider, registerProvider } from '@assay/sandbox';
import { bench, setUpBench, tearDownBench } from '../trial/model-agents.fixture.ts';
import { isAsDeclared, runCheats } from './cheats.ts';
import { gradeSubmission } from './grade.ts';

before(() => setUpBench());
after(tearDownBench);

let providers = 0;
/** The name of a new provider whose n-th sandbox, from 1, is not to be had where `fails` says so. */
async function failing(fails: (made: number) => boolean): Promise<string> {
  const provider = await chooseProvider('bubblewrap');
  const name = `failing-${(providers += 1)}`;
  let made = 0;
  registerProvider({
    ...provider,
    name,
    isolation: provider.isolation ?? 'namespace',
    interactive: true,
    create: async (options) => {
      made += 1;
      if (fails(made)) throw new AssayError('SANDBOX_START_FAILED', { provider: name, detail: 'for a moment' });
      return provider.create(options);
    },
    destroy: (id) => provider.destroy(id),
  });
  return name;
}

describe('cheats, where sandboxes cannot be had', () => {
  const attack = (provider: string, onEvent?: (event: ProgressEvent) => void) =>
    runCheats({ task: bench.repositoryTask, ids: ['B1', 'B2'], provider, parallel: 1, onEvent });

  test('for a moment: the cheat is tried again', async () => {
    const { cheats, failures } = await attack(await failing((made) => made === 1));
    assert.deepEqual([cheats.map(isAsDeclared), failures], [[true, true], []]);
  });

  test('for one cheat: it is no blocked cheat but a failure, and the others go on', async () => {
    const events: ProgressEvent[] = [];
    const { cheats, failures } = await attack(await failing((made) => made <= 3), (event) => events.push(event));
    assert.deepEqual(
      cheats.map(({ id }) => id),
      ['B2'],
    );
    assert.deepEqual(
      failures.map(({ item, outcome, kind, tries }) => [item, outcome, kind, tries]),
      [['B1', 'excluded', 'infrastructure', 3]],
    );
    assert.deepEqual(
      events.filter(({ type }) => type === 'item-end').map(({ item, ok, done }) => [item, ok, done]),
      [
        ['B1', false, 1],
        ['B2', true, 2],
      ],
    );
  });

  test('at all: what ended the first is thrown', async () => {
    await assert.rejects(attack(await failing(() => true)), { kind: 'infrastructure' });
  });
});

describe('grade', () => {
  const reference = (): string => join(bench.repositoryTask, 'solution', 'reference.diff');
  const grade = (provider: string) =>
    gradeSubmission({ task: bench.repositoryTask, submission: reference(), provider });

  test('grades again when the sandbox breaks down for a moment', async () => {
    assert.equal((await grade(await failing((made) => made === 1))).outcome, 'pass');
  });

  test('answers `invalid` when it breaks down for good', async () => {
    const { outcome, reward } = await grade(await failing(() => true));
    assert.deepEqual([outcome, reward], ['invalid', null]);
  });

  test('fails a submission that is too large', async () => {
    const submission = join(bench.home, 'too-large');
    await mkdir(submission);
    await writeFile(join(submission, 'big.bin'), '');
    await truncate(join(submission, 'big.bin'), 2 ** 34);
    const { outcome, reward, note } = await gradeSubmission({ task: bench.repositoryTask, submission });
    assert.deepEqual([outcome, reward], ['fail', 0]);
    assert.match(note ?? '', /too large/);
  });
});
