/**
 * The closed list of reasons why a mined candidate is no task. One line each; `docs/rejection-reasons.md` repeats them.
 */
export const REJECTION_REASONS = {
  no_fix_commit: 'the advisory names no commit that mends it and that this repository holds',
  scattered_fix:
    'the commits that mend it cannot be taken as one change: ' +
    'not in one line, or others between them touch the same files',
  missing_objects: 'the repository lacks an object that the candidate needs (a partial or damaged clone)',
  unsupported_entry:
    'the change holds an entry that a submission cannot carry: a submodule, a link, a path that no file system takes',
  too_large: 'the change has more files or bytes than a task should have',
  no_tests: 'the fix brings no test that can be run',
  no_ecosystem: 'no ecosystem that Assay knows runs the tests of this change',
  no_runner: 'the repository at T0 names no test runner that Assay knows',
  environment_failed: 'the dependencies as of T0 could not be installed without the network',
  suite_broken: 'the tests of T0 do not run at T0: nothing is collected, or the run dies or outlasts its time',
  not_fixed: 'no test goes from fail to pass under the reference solution',
  not_rebuilt: 'the fix changes sources that are compiled into the environment, which is built once, of T0',
  config_change: 'the reference solution needs to change a file that steers the verifier',
  flaky: 'the tests that tell the fix from its absence do not answer the same way every time',
  chore:
    'the subject of the commit says that it changes nothing a user observes: ' +
    'a release, dependencies, documentation, tests, formatting, types, refactoring, a revert',
  thin_statement:
    'the commit message or the advisory says too little to work from, of what the tests ask for nothing can be told, and no model was given to write more',
  undisclosed_symbol: 'hidden tests demand a name, literal or message that neither the instruction nor T0 tells',
  not_split:
    'no test of the fix is compared outside of the process of the submission and withstands guesses, ' +
    'and --require split asks for one',
  leak: 'lines of the reference solution or of a hidden test stand in something that the agent can read',
  unproven: 'the emitted bundle did not prove itself: reference below N of N, or no-op above 0 of N',
  no_values:
    'too few calls of the function give a value that repeats and can be written down, ' +
    'or too few different ones to tell it from a trivial answer',
  trivial_answer: 'an answer without any work passes the hidden tests: the first argument, nothing, one constant',
  model_refused: 'the model would not write the problem',
  model_nonsense: 'what the model wrote is no problem in the form that was asked for',
  copies_original: 'the solution that the model wrote is a copy of what the repository holds',
  vacuous_tests: 'tests that the model wrote pass without the solution',
  over_specified: 'tests that the model wrote fail where a solution does the same, written otherwise',
  weak_tests: 'the hidden tests let too many small changes of the reference solution pass that alter what it does',
} as const;

export type RejectionReason = keyof typeof REJECTION_REASONS;
export const REJECTION_NAMES = Object.keys(REJECTION_REASONS) as RejectionReason[];
