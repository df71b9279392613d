import { AssayError } from '@assay/protocol';
import { checkNames } from './rows.ts';
import { SPLIT_BY, type SplitBy, type SplitOptions } from './split-rows.ts';

/**
 * Words of a command line: numbers as text, lists that may hold commas, and `all` among the languages for every one.
 */
export interface SplitWords {
  by?: string | undefined;
  testSize?: string | undefined;
  seed?: string | undefined;
  numExamples?: string | undefined;
  languages?: readonly string[];
  scenarios?: readonly string[];
  envs?: readonly string[];
  testScenarios?: readonly string[];
  testEnvs?: readonly string[];
}

/**
 * Python alone unless languages are named, as the environment that these options come from has it. Throws `BAD_OPTION`.
 */
export function readSplitWords(words: SplitWords): SplitOptions {
  const languages = names(words.languages) ?? ['Python'];
  const named = languages.filter((name) => name !== 'all');
  if (named.length > 0) checkNames('--languages', 'languages', named);
  return {
    by: splitBy(words.by ?? 'scenario'),
    testSize: number('--test-size', words.testSize ?? '0.2'),
    seed: number('--split-seed', words.seed ?? '42'),
    numExamples: number('--num-examples', words.numExamples ?? '-1'),
    languages: languages.includes('all') ? null : languages,
    scenarios: names(words.scenarios),
    envs: names(words.envs),
    testScenarios: names(words.testScenarios),
    testEnvs: names(words.testEnvs),
  };
}

function splitBy(word: string): SplitBy {
  const found = SPLIT_BY.find((by) => by === word);
  if (found === undefined)
    throw new AssayError('BAD_OPTION', { option: '--by', detail: `give one of ${SPLIT_BY.join(', ')}` });
  return found;
}

function number(option: string, word: string): number {
  if (!/^-?\d{1,30}(\.\d{1,30})?$/.test(word)) throw new AssayError('BAD_OPTION', { option, detail: 'give a number' });
  return Number(word);
}

function names(words: readonly string[] | undefined): string[] | null {
  if (words === undefined || words.length === 0) return null;
  return words
    .flatMap((word) => word.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
