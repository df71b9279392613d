/**
 * `tests/contract.json` of a task whose submissions are compared: what the grader in Harbor's verifier image needs to
 * know. Rules about paths are regular expressions over the whole path.
 */
export interface DiffContract {
  version: 1;
  profile: 'strict' | 'repo2rlenv';
  /** The program that reads sources. */
  command: string[];
  /** Sources of the repository's language. */
  code: string;
  /** Files that steer tests or tools, and do not count. */
  steering: string[];
}
