import { AssayError } from '@assay/protocol';
import { checkNames, selectRows, type Row, type RowFilter } from './rows.ts';
import { shuffle } from './shuffle.ts';

export const SPLIT_BY = ['scenario', 'framework', 'random', 'none'] as const;
export type SplitBy = (typeof SPLIT_BY)[number];

export interface SplitOptions extends RowFilter {
  /**
   * The unit that is never on both sides: a scenario, a framework, a row. `none`: all rows are on both. Default
   * `scenario`.
   */
  by?: SplitBy;
  /** Share of scenarios, frameworks or rows that is held out, between 0 and 1. Default 0.2. */
  testSize?: number;
  /** 0 to 2^32 - 1. Default 42. */
  seed?: number;
  /** Hold out exactly these scenarios, frameworks, or both; `by` and `testSize` do not count then. */
  testScenarios?: readonly string[] | null;
  testEnvs?: readonly string[] | null;
  /** At most so many rows on each side, the first ones; -1: all. */
  numExamples?: number;
}

interface Split {
  train: Row[];
  eval: Row[];
}

/**
 * Filters the rows, and parts what is left. docs/bax.md has the algorithm, so that others can make the same split.
 * Throws `BAD_OPTION`.
 */
export function splitRows(options: SplitOptions = {}): Split {
  const { by = 'scenario', testSize = 0.2, seed = 42, numExamples = -1 } = options;
  if (!(testSize > 0 && testSize < 1)) throw bad('--test-size', 'give a number between 0 and 1, such as 0.2');
  if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff)
    throw bad('--split-seed', 'give a whole number from 0 to 4294967295');
  if (!Number.isInteger(numExamples) || (numExamples < 1 && numExamples !== -1))
    throw bad('--num-examples', 'give a whole number of at least 1, or -1 for all');
  const rows = selectRows(options);
  const split = holdOut(rows, options) ?? byGroup(rows, by, testSize, seed);
  return numExamples === -1
    ? split
    : { train: split.train.slice(0, numExamples), eval: split.eval.slice(0, numExamples) };
}

/** Null when no names were given. */
function holdOut(rows: readonly Row[], { testScenarios = null, testEnvs = null }: SplitOptions): Split | null {
  checkNames('--test-scenarios', 'scenarios', testScenarios);
  checkNames('--test-envs', 'envs', testEnvs);
  if (testScenarios === null && testEnvs === null) return null;
  const held = (row: Row): boolean =>
    (testScenarios?.includes(row.scenario) ?? false) || (testEnvs?.includes(row.framework) ?? false);
  const split = part(rows, held);
  const options =
    testEnvs === null ? '--test-scenarios' : testScenarios === null ? '--test-envs' : '--test-scenarios, --test-envs';
  if (split.eval.length === 0) throw bad(options, 'the other options leave none of the rows to hold out');
  if (split.train.length === 0) throw bad(options, 'all rows are held out, and none is left to train on');
  return split;
}

function byGroup(rows: readonly Row[], by: SplitBy, testSize: number, seed: number): Split {
  const groupOf = (row: Row): string =>
    by === 'scenario' ? row.scenario : by === 'framework' ? row.framework : `${row.scenario} ${row.framework}`;
  const groups = [...new Set(rows.map(groupOf))].sort();
  // one group cannot be parted: a single scenario is then there for training and evaluation alike
  if (by === 'none' || groups.length === 1) return { train: [...rows], eval: [...rows] };
  const size = Math.min(groups.length - 1, Math.max(1, Math.floor(testSize * groups.length + 0.5)));
  const held = new Set(shuffle(groups, seed).slice(0, size));
  return part(rows, (row) => held.has(groupOf(row)));
}

function part(rows: readonly Row[], held: (row: Row) => boolean): Split {
  return { train: rows.filter((row) => !held(row)), eval: rows.filter(held) };
}

const bad = (option: string, detail: string): AssayError => new AssayError('BAD_OPTION', { option, detail });
