import { AssayError } from '@assay/protocol';
import { SCENARIOS } from '../scenarios/index.ts';
import { readSplitWords } from '../split/read-split-words.ts';
import type { Row } from '../split/rows.ts';
import { splitRows } from '../split/split-rows.ts';

/**
 * The rows to ask for: those that can be graded, or of them one side of the usual split. Throws `BAD_OPTION`, and
 * `NOT_GRADABLE` for a named scenario without tests.
 */
export function evalRows(words: {
  split: string | undefined;
  languages: readonly string[];
  scenarios: readonly string[];
  envs: readonly string[];
}): Row[] {
  const { split } = words;
  if (split !== undefined && split !== 'train' && split !== 'eval')
    throw new AssayError('BAD_OPTION', { option: '--split', detail: 'give train or eval' });
  const options = readSplitWords(words);
  const rows = split === undefined ? splitRows({ ...options, by: 'none' }).eval : splitRows(options)[split];
  const tested = new Set(SCENARIOS.filter(({ tests }) => tests !== null).map(({ id }) => id));
  const unknown = options.scenarios?.find((name) => !tested.has(name));
  if (unknown !== undefined)
    throw new AssayError('NOT_GRADABLE', { name: unknown, detail: 'this scenario has no tests' });
  const gradable = rows.filter(({ scenario }) => tested.has(scenario));
  if (gradable.length === 0)
    throw new AssayError('BAD_OPTION', {
      option: '--split',
      detail: 'none of the rows on this side can be graded yet',
    });
  return gradable;
}
