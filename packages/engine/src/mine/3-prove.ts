import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestCommand, TestStatus } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import { readRegularFileBelow } from '@assay/files/read-regular-file';
import { tellingText } from '../ecosystems/telling-text.ts';
import type { TestFacet } from '../ecosystems/test-facet.ts';
import { composeChange } from '../verify/compose-verifier-tree.ts';
import { runSuite, type SuiteRun } from '../verify/run-suite.ts';
import { Rejection, type Candidate } from './candidate.ts';
import type { Built } from './2-build.ts';
import type { MineContext } from './mine-context.ts';
import { classifyTests, type RunStatuses } from './classify-tests.ts';
import { testsOfAbsentFiles } from './tests-of-absent-files.ts';

/** Longer suites are cut to the test files that the fix changes. */
const WHOLE_SUITE_BUDGET_SEC = 120;
const REPEATS = 2;
const BROKEN_CHARACTERS = 400;

type ProveOptions = Pick<MineContext, 'provider' | 'signal' | 'progress'>;

export interface Proven {
  command: TestCommand;
  failToPass: string[];
  passToPass: string[];
  quarantined: string[];
}

/**
 * Stage 3: finds which tests tell the fix from its absence. Runs three trees, each more than once: T0 with its own
 * tests, T0 with the new tests, the fix with the new tests. At first only the changed test files run, which ends most
 * candidates early, then the whole suite.
 */
export async function prove(candidate: Candidate, built: Built, options: ProveOptions): Promise<Proven> {
  const { tests } = candidate.ecosystem;
  const changed = candidate.hidden.files.map((file) => file.path).filter(tests.isTestFile);
  if (changed.length === 0) throw new Rejection('no_tests', 'the change adds or edits no test file that can be run');
  const trees = treesOf(candidate);
  const narrow: TestCommand = { ...built.command, files: changed };
  options.progress?.('screening');
  const fixed = await suite(built, narrow, trees.fixed, options);
  const before = await suite(built, narrow, trees.newTests, options);
  await requireFix({ candidate, built, command: narrow, fixed, before }, options);

  options.progress?.('own tests');
  const own = await suite(
    built,
    { ...built.command, timeoutSec: Math.min(built.command.timeoutSec, WHOLE_SUITE_BUDGET_SEC) },
    trees.own,
    options,
  );
  const whole = own.exec.timedOut !== true;
  const command = whole ? { ...built.command, files: [] } : narrow;
  const runs: RunStatuses = {
    own: whole ? [statuses(own)] : [],
    newTests: whole ? [] : [statuses(before)],
    fixed: whole ? [] : [statuses(fixed)],
  };
  for (const [name, change] of [
    ['own', trees.own],
    ['newTests', trees.newTests],
    ['fixed', trees.fixed],
  ] as const) {
    while (runs[name].length < REPEATS) {
      options.progress?.(`${name} ${runs[name].length + 1}/${REPEATS}`);
      const present = name === 'own' ? await existing(built, command) : command;
      runs[name].push(statuses(await suite(built, present, change, options)));
    }
  }
  const found = classifyTests(runs);
  if (found.failToPass.length === 0) {
    if (found.quarantined.length > 0)
      throw new Rejection(
        'flaky',
        `${found.quarantined.length} tests change their answer, such as ${found.quarantined[0]}`,
      );
    throw new Rejection('not_fixed', 'no test goes from fail to pass in the whole suite');
  }
  const unusable = testsOfAbsentFiles(neverPassed(runs), {
    absent: built.absent,
    tests,
    read: (path) =>
      candidate.hidden.files.find((file) => file.path === path)?.content ??
      readRegularFileBelow(built.t0Directory, path),
  });
  return {
    command: { ...command, files: whole ? filesOf(found, tests) : changed },
    ...found,
    quarantined: [...new Set([...found.quarantined, ...unusable])].sort(),
  };
}

function neverPassed({ own, newTests, fixed }: RunStatuses): string[] {
  const runs = [...own, ...newTests, ...fixed];
  return [...new Set(runs.flatMap((run) => [...run.keys()]))].filter((id) =>
    runs.every((run) => run.get(id) !== 'passed'),
  );
}

function treesOf({ reference, hidden }: Candidate): { own: ChangeSet; newTests: ChangeSet; fixed: ChangeSet } {
  return {
    own: { files: [], deleted: [] },
    newTests: hidden,
    fixed: composeChange({ submission: reference, hidden, steering: [], hiddenWins: true }),
  };
}

interface Screening {
  candidate: Candidate;
  built: Built;
  command: TestCommand;
  fixed: SuiteRun;
  before: SuiteRun;
}

/** Throws a rejection when the fix turns no test of the changed files from fail to pass. */
async function requireFix(
  { candidate, built, command, fixed, before }: Screening,
  options: ProveOptions,
): Promise<void> {
  if (differs(fixed, before)) return;
  if (candidate.steering.files.length + candidate.steering.deleted.length > 0) {
    const all = composeChange({
      submission: merge(candidate.reference, candidate.steering),
      hidden: candidate.hidden,
      steering: [],
      hiddenWins: true,
    });
    if (differs(await suite(built, command, all, options), before))
      throw new Rejection(
        'config_change',
        `the fix passes only with its change to ${candidate.steering.files[0]?.path ?? candidate.steering.deleted[0]}`,
      );
  }
  if (fixed.report.results.size === 0) throw new Rejection('suite_broken', brokenDetail(fixed));
  throw new Rejection('not_fixed', 'the same tests pass before and after the fix');
}

const differs = (fixed: SuiteRun, before: SuiteRun): boolean =>
  [...fixed.report.results].some(
    ([id, result]) => result.status === 'passed' && before.report.results.get(id)?.status !== 'passed',
  );

const merge = (a: ChangeSet, b: ChangeSet): ChangeSet => ({
  files: [...a.files, ...b.files],
  deleted: [...a.deleted, ...b.deleted],
});

function brokenDetail({ exec, report }: SuiteRun): string {
  if (exec.timedOut) return 'the tests outlast their time';
  const [uncollected] = report.uncollected;
  const reason = tellingText(exec.stderr, BROKEN_CHARACTERS) || `exit code ${exec.exitCode}`;
  return `nothing was collected${uncollected === undefined ? '' : ` (${uncollected})`}: ${reason}`;
}

/**
 * Narrows the command to files that exist at T0. If none of the new tests' files do, the whole suite stands in for
 * them.
 */
async function existing(built: Built, command: TestCommand): Promise<TestCommand> {
  const present: string[] = [];
  for (const file of command.files)
    if (
      await access(join(built.t0Directory, file)).then(
        () => true,
        () => false,
      )
    )
      present.push(file);
  return { ...command, files: present };
}

/** Runs tests on T0 with a change. */
export const suite = async (
  built: Built,
  command: TestCommand,
  change: ChangeSet,
  { provider, signal }: ProveOptions,
): Promise<SuiteRun> =>
  runSuite({
    command,
    change,
    t0Directory: built.t0Directory,
    environment: await built.environment(),
    provider,
    signal,
  });

const statuses = (run: SuiteRun): Map<string, TestStatus> =>
  new Map([...run.report.results].map(([id, result]) => [id, result.status]));

/** Lists the files with the required tests, so that the verifier runs no others. */
function filesOf(
  { failToPass, passToPass }: { failToPass: string[]; passToPass: string[] },
  tests: TestFacet,
): string[] {
  return [...new Set([...failToPass, ...passToPass].map((id) => tests.splitId(id).file))].sort();
}
