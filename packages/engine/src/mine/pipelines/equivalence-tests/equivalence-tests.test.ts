import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runGit } from '../../../git/run-git.ts';
import { openRepositoryTask } from '../../../verify/open-repository-task.ts';
import { COPY, FunctionsFixture } from '../../functions/functions.fixture.ts';
import { mineCandidate } from '../../mine-candidate.ts';
import { equivalenceTests } from './pipeline.ts';

describe('equivalence_tests', () => {
  let fixture: FunctionsFixture;
  before(async () => {
    fixture = await FunctionsFixture.make(equivalenceTests);
  });
  after(() => fixture.dispose());

  test('finds what answers by its arguments alone, what tests name first, and tells what became of the rest', async () => {
    const collected = await (await equivalenceTests.open({}))({ repository: fixture.repository });
    const labels = (await Array.fromAsync(collected.found)).map(({ label }) => label);
    assert.deepEqual(labels, [
      'lib/text.js:shorten',
      'words/names.py:initials',
      'lib/text.js:vowels',
      'words/names.py:wrap',
    ]);
    assert.equal(
      collected.notes?.().text,
      '4 of 6 public functions can be asked for: 1 not by their arguments alone, 1 too short',
    );
  });

  test('makes a task whose T0 lacks the function, of answers that were recorded', async () => {
    const { context, repository, directory } = fixture;
    const bundle = join(directory, 'task');
    const data = { base: repository.head, path: 'lib/text.js', name: 'shorten' };
    const result = await mineCandidate(data, bundle, context);
    assert.equal(result.outcome, 'admitted', JSON.stringify(result));
    const open = await openRepositoryTask(bundle, context);
    const { fail_to_pass: failToPass, proof, base_commit: base, statement, behaviour } = open.task.meta;
    assert.deepEqual([proof?.noop.passes, proof?.reference.passes, base], [0, 3, repository.head]);
    assert.ok((proof?.mutants?.killed ?? 0) > 0);
    // Those of T0 that the stub breaks count as well: whoever solves the task mends them.
    assert.ok(failToPass.includes('test/text.test.js > takes a width'));
    const hidden = failToPass.filter((id) => !id.startsWith('test/text.test.js'));
    assert.deepEqual(behaviour, { told: 3, held_back: hidden.length });

    const instruction = await readFile(join(bundle, 'instruction.md'), 'utf8');
    assert.match(instruction, /^# Write the body of `shorten`\n\n`shorten` in `lib\/text\.js` has lost its body/);
    assert.match(instruction, /Shortens a text to whole words, with a mark where some are left out\./);
    assert.equal(instruction.match(/^- `shorten\(.*\)` returns `'.*'`$/gm)?.length, 3);
    assert.ok(statement.every(({ source }) => source === 'code' || source === 'behaviour'));

    const classes = new Map(open.split?.plan.tests.map((each) => [each.id, each.class]));
    const outside = hidden.map((id) => classes.get(id) ?? 'in-process');
    assert.ok(outside.includes('split') && !outside.includes('in-process'), outside.join(' '));
    const file = open.hidden.files[0]?.content.toString() ?? '';
    const told = [...instruction.matchAll(/^- `(shorten\(.*\))` returns/gm)].map(([, call]) => `${call},`);
    assert.deepEqual(
      told.filter((call) => file.includes(call)),
      [],
    );
    assert.ok(
      readFileSync(join(open.t0Directory, 'lib/text.js'), 'utf8').includes("throw new Error('not implemented');"),
    );
    const objects = await runGit(join(open.t0Directory, '.git'), ['cat-file', '--batch', '--batch-all-objects']);
    assert.ok(objects.includes('not implemented') && !objects.includes('parts.join'));
  });

  test('a copy under another name, anywhere in T0, ends the candidate: with the copy gone, it is admitted', async () => {
    const copied = await FunctionsFixture.make(equivalenceTests, { 'scripts/label.js': COPY });
    try {
      const data = { base: copied.repository.head, path: 'lib/text.js', name: 'shorten' };
      const result = await mineCandidate(data, join(copied.directory, 'task'), copied.context);
      assert.ok(result.outcome === 'rejected' && result.reason === 'leak', JSON.stringify(result));
      assert.match(result.detail, /parts of the function stand elsewhere in T0$/);
    } finally {
      await copied.dispose();
    }
  });
});
