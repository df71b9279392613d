import { evalRows } from '../eval/eval-rows.ts';
import type { Row } from '../split/rows.ts';

/**
 * The rows that lists of names ask for, of those that can be graded: in every language when frameworks are named, else
 * in Python. Throws as `evalRows`.
 */
export function taskRows({
  languages,
  scenarios,
  envs,
}: {
  languages: readonly string[];
  scenarios: readonly string[];
  envs: readonly string[];
}): Row[] {
  return evalRows({
    split: undefined,
    languages: languages.length === 0 && envs.length > 0 ? ['all'] : languages,
    scenarios,
    envs,
  });
}
