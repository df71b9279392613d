import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CliRecipe } from './cli-agent.ts';
import { EventLog } from './event-log.ts';
import { CLI_RECIPES } from './find-cli-agent.ts';
import { readEnd } from './read-end.ts';
import { RECORDED_ENDS } from './recorded-ends.fixture.ts';

const EXEC = { stdout: '', stderr: '', exitCode: 0 };

function recipeOf(name: string): CliRecipe {
  const recipe = CLI_RECIPES.find((each) => each.name === name);
  assert.ok(recipe);
  return recipe;
}

function logOf(recipe: CliRecipe, text: string, pieces = 7): EventLog {
  const log = new EventLog(recipe.telling);
  for (let at = 0; at < text.length; at += pieces) log.push(text.slice(at, at + pieces));
  log.close();
  return log;
}

describe('how a CLI ended, read from what it printed', () => {
  for (const { cli, when, lines, exitCode, stderr = '', state, detail } of RECORDED_ENDS) {
    test(`${cli}: ${when}`, () => {
      const recipe = recipeOf(cli);
      const end = readEnd(recipe, logOf(recipe, lines.join('\n')), { ...EXEC, exitCode, stderr });
      assert.equal(end.state, state, end.detail);
      assert.match(end.detail, detail);
    });
  }

  for (const recipe of CLI_RECIPES) {
    test(`${recipe.name}: what the sandbox did to it comes before its words`, () => {
      const lines = RECORDED_ENDS.find(({ cli, state }) => cli === recipe.name && state === 'ended')?.lines ?? [];
      const log = logOf(recipe, lines.join('\n'));
      assert.equal(readEnd(recipe, log, EXEC).state, 'ended');
      assert.deepEqual(readEnd(recipe, log, { ...EXEC, exitCode: 124, timedOut: true }), {
        state: 'limits',
        detail: 'its time was over',
      });
      assert.equal(readEnd(recipe, log, { ...EXEC, exitCode: 137, outOfMemory: true }).state, 'limits');
    });

    test(`${recipe.name}: without a word it did not work, whatever its exit code; killed amid its words it failed`, () => {
      assert.equal(readEnd(recipe, logOf(recipe, ''), EXEC).state, 'could-not-work');
      assert.equal(
        readEnd(recipe, logOf(recipe, 'Segmentation fault\n'), { ...EXEC, exitCode: 139 }).state,
        'could-not-work',
      );
      assert.equal(readEnd(recipe, logOf(recipe, '{"type":"init"}\n'), { ...EXEC, exitCode: 137 }).state, 'failed');
      assert.equal(readEnd(recipe, logOf(recipe, '{"type":"init"}\n'), { ...EXEC, truncated: true }).state, 'failed');
    });

    test(`${recipe.name}: hostile output is no end and does no harm`, () => {
      const types = recipe.telling.flatMap((type) => [
        { type },
        { type, error: 7, part: [], item: null, result: {}, permission_denials: 'x', errors: {} },
      ]);
      for (const event of types) {
        const end = readEnd(recipe, logOf(recipe, `[1]\n{"type":7}\n{\nnull\n${JSON.stringify(event)}`), {
          ...EXEC,
          exitCode: 1,
        });
        assert.equal(typeof end.detail, 'string');
        assert.doesNotMatch(end.detail, /[\n\u001b]/);
      }
      const loud = readEnd(recipe, logOf(recipe, ''), {
        ...EXEC,
        exitCode: 1,
        stderr: `error \u001b]0;x\u0007${'y'.repeat(100_000)}`,
      });
      assert.doesNotMatch(loud.detail, /\u001b|\u0007/);
      assert.ok(loud.detail.length < 1000);
    });
  }

  test('what a tool printed about the lane is no stop', () => {
    const recipe = recipeOf('codex');
    const lines = [
      '{"type":"item.completed","item":{"type":"command_execution","aggregated_output":"lane: the budget is spent","status":"completed"}}',
      '{"type":"turn.completed"}',
    ];
    assert.equal(readEnd(recipe, logOf(recipe, lines.join('\n')), EXEC).state, 'ended');
  });

  test('a log holds a bounded part, the last', () => {
    const log = new EventLog(['a']);
    for (let index = 0; index < 5000; index += 1) log.push(`{"type":"a","index":${index}}\n{"type":"b"}\n`);
    log.push(`{"type":"a","long":"${'x'.repeat(9 * 1024 * 1024)}`);
    log.push('the rest of it"}\n{"type":"a","index":"last"}\n');
    log.close();
    assert.equal(log.seen, 10_001);
    assert.ok(log.events.length <= 2000);
    assert.equal(log.events.at(-1)?.['index'], 'last');
  });
});
