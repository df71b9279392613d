import picomatch from 'picomatch';
import type { TaskContent } from './task.ts';

/**
 * `tests/contract.json`: all that the grader in Harbor's verifier image needs to know. Globs become regular expressions here, in
 * a form that JavaScript and Python read alike, since the grader brings no library for globs.
 */
export interface Contract {
  version: 1;
  test: TaskContent['meta']['test'];
  /** Ids of which each must be recorded as passed exactly once. */
  expected: string[];
  /** Whole-path expressions of files that stay as at T0. */
  steering: string[];
}

export function contractOf(meta: TaskContent['meta']): Contract {
  return {
    version: 1,
    test: meta.test,
    expected: [...meta.fail_to_pass, ...meta.pass_to_pass],
    steering: meta.steering.map((glob) => picomatch.makeRe(glob, { dot: true }).source),
  };
}
