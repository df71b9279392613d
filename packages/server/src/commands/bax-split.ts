import { defineCommand } from '../command.ts';

export const baxSplit = defineCommand({
  name: 'bax split',
  summary: 'part the rows for training and evaluation',
  description: `The same words give the same split everywhere: docs/bax.md has the algorithm. Lists may be repeated or
hold commas. With names to hold out, --by and --test-size do not count. A single group, such as one scenario, cannot be
parted and is on both sides.`,
  example: 'assay bax split --by scenario --test-size 0.2 --split-seed 42',
  arguments: [],
  options: {
    by: {
      kind: 'text',
      value: 'WAY',
      default: 'scenario',
      description:
        'what is never on both sides: scenario, framework or random (a row); none: both sides are everything',
    },
    'test-size': {
      kind: 'text',
      value: 'SHARE',
      default: '0.2',
      description: 'share of scenarios, frameworks or rows to hold out, between 0 and 1',
    },
    'split-seed': { kind: 'text', value: 'N', default: '42', description: 'whole number from 0 to 4294967295' },
    languages: {
      kind: 'list',
      value: 'NAMES',
      description: 'Python, JavaScript, Go, PHP, Ruby, Rust, or all (default: Python)',
    },
    scenarios: { kind: 'list', value: 'NAMES', description: 'these scenarios alone' },
    envs: { kind: 'list', value: 'NAMES', description: 'these frameworks alone' },
    'test-scenarios': { kind: 'list', value: 'NAMES', description: 'hold out exactly these scenarios' },
    'test-envs': { kind: 'list', value: 'NAMES', description: 'hold out exactly these frameworks' },
    'num-examples': {
      kind: 'text',
      value: 'N',
      default: '-1',
      description: 'at most so many rows on each side; -1: all',
    },
  },
  async run({
    by,
    'test-size': testSize,
    'split-seed': seed,
    languages,
    scenarios,
    envs,
    'test-scenarios': testScenarios,
    'test-envs': testEnvs,
    'num-examples': numExamples,
  }) {
    const { readSplitWords } = await import('@assay/bax/split/read-split-words');
    const { splitRows } = await import('@assay/bax/split/split-rows');
    const { renderBaxSplit } = await import('../reporters/render-bax-split.ts');
    const split = splitRows(
      readSplitWords({ by, testSize, seed, languages, scenarios, envs, testScenarios, testEnvs, numExamples }),
    );
    return { exitCode: 0, document: split, render: (terminal) => renderBaxSplit(split, terminal) };
  },
});
