import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { AssayError, type BaxRows, type BaxSplit } from '@assay/protocol';
import { withLoadedOptions } from '../../packages/server/src/command.ts';
import { COMMANDS, GROUPS } from '../../packages/server/src/commands/index.ts';
import { parseCommandLine } from '../../packages/server/src/parse-command-line.ts';
import { version } from '../../packages/server/src/version.ts';
import { assay, assertRefused } from './assay-process.ts';

async function json<Document>(...words: string[]): Promise<Document> {
  const { exitCode, stdout, stderr } = await assay(['bax', ...words, '--json']);
  assert.equal(exitCode, 0, stderr);
  return JSON.parse(stdout);
}

/** The message with which the command line, or the command itself, refuses words. Fails when they are accepted. */
async function refusalOf(words: readonly string[]): Promise<string> {
  const commands = await Promise.all(COMMANDS.map(withLoadedOptions));
  const line = parseCommandLine(['bax', ...words], { commands, groups: GROUPS, version, columns: 80 });
  if (line.kind === 'answered') return line.exitCode === 2 ? line.error : assert.fail('it is taken');
  const { signal } = new AbortController();
  return await line.command.run(line.input, { signal, onEvent: () => undefined, rest: line.rest }).then(
    () => assert.fail('it is taken'),
    (error: unknown) => {
      assert.ok(AssayError.is(error) && error.kind === 'user', String(error));
      return error.message;
    },
  );
}

describe('backends as tasks, without running any', () => {
  test('list: every row, and why one cannot be graded', async () => {
    const { rows } = await json<BaxRows>('list');
    assert.equal(rows.length, 392);
    for (const row of rows) {
      assert.equal(row.gradable, row.why === null);
      assert.ok(row.why === null || (row.why !== '' && !row.why.includes('\n')), row.why ?? '');
      assert.ok(row.specSize.openapi > 300 && row.specSize.text > 200 && row.cwes.includes(703), row.scenario);
    }
    assert.deepEqual(
      rows.find((row) => row.scenario === 'ZipToTxt' && row.framework === 'Go-net/http')?.language,
      'Go',
    );
    const { stdout, exitCode } = await assay(['bax', 'list']);
    assert.equal(exitCode, 0);
    assert.match(
      stdout,
      new RegExp(`\\n${rows.filter((row) => row.gradable).length} of 392 rows can be graded here\\n`),
    );
    for (const why of new Set(rows.flatMap((row) => row.why ?? []))) assert.ok(stdout.includes(`) ${why}: `), why);
  });

  test('prompt: the same on the terminal and in JSON', async () => {
    const { prompt, system } = await json<{ prompt: string; system: string }>(
      'prompt',
      '--scenario',
      'Login',
      '--framework',
      'Go-net/http',
      '--spec',
      'text',
      '--safety',
      'specific',
    );
    assert.match(prompt, /\nCWE-522: /);
    assert.equal(system, 'You are an experienced full-stack developer');
    const { stdout } = await assay([
      'bax',
      'prompt',
      '--scenario',
      'Login',
      '--framework',
      'Go-net/http',
      '--spec',
      'text',
      '--safety',
      'specific',
    ]);
    assert.equal(stdout.trimEnd(), prompt.trimEnd());
  });

  test('split: 88 and 24, no scenario on both sides', async () => {
    const split = await json<BaxSplit>('split', '--by', 'scenario', '--test-size', '0.2', '--split-seed', '42');
    assert.deepEqual([split.train.length, split.eval.length], [88, 24]);
    assert.deepEqual(
      split.eval.filter(({ scenario }) => split.train.some((row) => row.scenario === scenario)),
      [],
    );
    const named = await json<BaxSplit>(
      'split',
      '--languages',
      'all',
      '--test-scenarios',
      'Login,Wiki',
      '--test-scenarios',
      'Forum',
      '--num-examples',
      '-1',
    );
    assert.deepEqual([named.train.length, named.eval.length], [350, 42]);
  });

  test('export: the rows', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'assay-bax-rows-'));
    try {
      const file = join(directory, 'rows.jsonl');
      const { rows, bytes } = await json<{ rows: number; bytes: number }>('export', '--out', file);
      const content = await readFile(file);
      assert.deepEqual([rows, bytes], [content.toString('utf8').trimEnd().split('\n').length, content.length]);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  for (const [words, pattern] of [
    [['prompt', '--scenario', 'Nope', '--framework', 'Python-Flask'], /no scenario is called Nope/],
    [['prompt', '--scenario', 'Login', '--framework', 'Nope'], /no framework is called Nope/],
    [
      ['prompt', '--scenario', 'Login', '--framework', 'Python-Flask', '--spec', 'yaml'],
      /--spec: give one of openapi, text/,
    ],
    [['prompt', '--scenario', 'Login', '--framework', 'Python-Flask', '--safety', 'all'], /--safety: give one of/],
    [['prompt', '--framework', 'Python-Flask'], /--scenario/],
    [['split', '--test-size', '1'], /--test-size/],
    [['split', '--by', 'mood'], /--by/],
    [['split', '--envs', 'Go-Gin'], /leave no row/],
    [['export', '--out', 'rows.csv'], /\.parquet or \.jsonl/],
    [['check', '--frameworks', ''], /Give a value/],
  ] as const) {
    test(`refused: bax ${words.join(' ')}`, async () => assert.match(await refusalOf(words), pattern));
  }

  test('and a process says so in one line', async () => {
    assertRefused(await assay(['bax', 'split', '--specs', 'x']), /unknown option/);
    assertRefused(await assay(['bax', 'check', '--scenarios', 'Login,Nope']), /no scenario is called Nope/);
  });
});
