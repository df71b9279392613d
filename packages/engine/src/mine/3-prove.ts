import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { SuiteChoice, TestCommand, TestStatus } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import { digestChange } from '@assay/files/digest-change';
import { readRegularFileBelow } from '@assay/files/read-regular-file';
import { tellingText } from '../ecosystems/telling-text.ts';
import type { TestFacet } from '../ecosystems/test-facet.ts';
import { composeChange } from '../verify/compose-verifier-tree.ts';
import { runSuite, type SuiteRun } from '../verify/run-suite.ts';
import type { SeenRun } from '../verify/split/as-written.ts';
import { Rejection, type Candidate } from './candidate.ts';
import type { Built } from './2-build.ts';
import type { MineContext } from './mine-context.ts';
import { changedTests } from './changed-tests.ts';
import { chooseSuite, type ChosenSuite } from './choose-suite.ts';
import { classifyTests, type ClassifiedTests, type RunStatuses } from './classify-tests.ts';
import { evidenceOf } from './run-evidence.ts';
import { differing, differs, screen, type Screening } from './screen.ts';
import { testsOfAbsentFiles } from './tests-of-absent-files.ts';
import { tellsTheDay } from './unstable-ids.ts';

/** For the chosen tests together. They are few: what takes longer does not end, or waits. */
const SUITE_SEC = 300;
const BROKEN_CHARACTERS = 400;

type ProveOptions = Pick<MineContext, 'provider' | 'signal' | 'progress'>;

export interface Proven {
  command: TestCommand;
  failToPass: string[];
  passToPass: string[];
  quarantined: string[];
  suite: SuiteChoice;
  /** Runs with the fix that told this, for stages that would repeat them. */
  seen: SeenRun[];
}

/**
 * Stage 3: finds which tests tell the fix from its absence. The changed test files run first, once with the fix and once
 * without, which ends most candidates early; then those that were chosen to stand for the suite, once with the fix and
 * once without, and those of them again that seem to tell the fix.
 */
export async function prove(candidate: Candidate, built: Built, options: ProveOptions): Promise<Proven> {
  const { tests } = candidate.ecosystem;
  const changed = changedTests(candidate);
  if (changed.length === 0) throw new Rejection('no_tests', 'the change adds or edits no test file that can be run');
  const trees = treesOf(candidate);
  const run: RunTests = (name, command, only) => suite(built, command, trees[name], { ...options, only });
  options.progress?.('screening');
  const screened = await screen(candidate, built, { changed, run, progress: options.progress });
  const { narrow, fixed, before } = screened;
  await requireFix({ candidate, built, ...screened, again: (name) => run(name, narrow) }, options);

  const chosen = await chooseSuite(candidate, { t0Directory: built.t0Directory, changed });
  const fileOf = (id: string): string => tests.splitId(id).file;
  const { command, runs, isCut } = await runChosen({ run, narrow, chosen, fixed, before, fileOf }, options);
  const missing = missingBefore(runs).filter((id) => !tellsTheDay(id, new Date()));
  if (missing.length > 0) {
    const isWider = missing.some((id) => !changed.includes(fileOf(id)));
    const own = await existing(built, isWider ? command : narrow);
    if (own) runs.own.push(statuses(await run('own', own)));
  }
  const found = lasting(classifyTests(runs));
  if (found.failToPass.length === 0) await requireRebuilt(candidate, built);
  requireSteady(found, [...evidenceOf('with the fix', fixed), ...evidenceOf('without it', before)]);
  const unusable = testsOfAbsentFiles(neverPassed(runs), {
    absent: built.absent,
    tests,
    read: (path) =>
      candidate.hidden.files.find((file) => file.path === path)?.content ??
      readRegularFileBelow(built.t0Directory, path),
  });
  return {
    command: { ...narrow, files: command === narrow ? changed : filesOf(found, tests) },
    ...found,
    quarantined: [...new Set([...found.quarantined, ...unusable])].sort(),
    suite: { files: chosen.files, chosen: isCut ? 'changed' : chosen.chosen },
    seen: [{ tree: digestChange(trees.fixed), files: changed, report: fixed.report }],
  };
}

type RunTests = (name: 'own' | Tree, command: TestCommand, only?: readonly string[]) => Promise<SuiteRun>;

interface ChosenRuns {
  run: RunTests;
  narrow: TestCommand;
  chosen: ChosenSuite;
  /** Runs of the changed test files. */
  fixed: SuiteRun;
  before: SuiteRun;
  fileOf: (id: string) => string;
}

/**
 * Runs what was chosen, and again whatever seems to tell the fix, as often as it takes to tell tests that waver. What ran
 * before counts, too. Of the others, two runs agreed, and the proof will run them.
 */
async function runChosen(
  { run, narrow, chosen, fixed, before, fileOf }: ChosenRuns,
  { progress }: ProveOptions,
): Promise<{ command: TestCommand; runs: RunStatuses; isCut: boolean }> {
  const isNarrow =
    chosen.chosen === 'all' ? chosen.files === narrow.files.length : chosen.paths.length === narrow.files.length;
  const command = { ...narrow, files: chosen.paths, timeoutSec: Math.min(narrow.timeoutSec, SUITE_SEC) };
  progress?.('suite 1/2');
  const first = isNarrow ? null : await run('fixed', command);
  if (first === null || first.exec.timedOut === true) {
    const again = statuses(await run('fixed', narrow));
    const runs = {
      own: [],
      fixed: [statuses(fixed), again],
      newTests: [before, await run('newTests', narrow)].map(statuses),
    };
    return { command: narrow, runs, isCut: first !== null };
  }
  progress?.('suite 2/2');
  const without = await run('newTests', command);
  const isNarrowed = (id: string): boolean => narrow.files.includes(fileOf(id));
  const runs: RunStatuses = {
    own: [],
    fixed: [statuses(first), overlay(first, fixed, isNarrowed)],
    newTests: [statuses(without), overlay(without, before, isNarrowed)],
  };
  const now = new Date();
  const telling = [...first.report.results.keys()].filter(
    (id) => !isNarrowed(id) && isPassed(first, id) && !isPassed(without, id) && !tellsTheDay(id, now),
  );
  if (telling.length > 0) {
    progress?.('suite: once more what tells the fix');
    const narrower = { ...command, files: [...new Set(telling.map(fileOf))].sort() };
    const again = await run('fixed', narrower, telling);
    const isTelling = (id: string): boolean => telling.includes(id);
    runs.fixed.push(overlay(first, again, isTelling));
    if (telling.some((id) => isPassed(again, id)))
      runs.newTests.push(overlay(without, await run('newTests', narrower, telling), isTelling));
  }
  return { command, runs, isCut: false };
}

const isPassed = ({ report }: SuiteRun, id: string): boolean => report.results.get(id)?.status === 'passed';

/** The statuses of a run, with those of the files that ran again as they were then. */
function overlay(wide: SuiteRun, again: SuiteRun, isCovered: (id: string) => boolean): Map<string, TestStatus> {
  // What a run that broke off lacks says nothing.
  const known = again.report.ended ? [...statuses(wide)].filter(([id]) => !isCovered(id)) : [...statuses(wide)];
  return new Map([...known, ...statuses(again)]);
}

/** Tests that pass with the fix and that nothing is known of without it: their file could not be loaded. */
function missingBefore({ fixed, newTests }: RunStatuses): string[] {
  const passed = [...(fixed[0] ?? [])].flatMap(([id, status]) => (status === 'passed' ? [id] : []));
  return passed.filter((id) => fixed.every((run) => run.has(id)) && newTests.some((run) => !run.has(id)));
}

/** Tests whose ids hold the day of this run count nowhere: another day does not know them. */
function lasting({ failToPass, passToPass, quarantined }: ClassifiedTests): ClassifiedTests {
  const now = new Date();
  const isOurs = (id: string): boolean => tellsTheDay(id, now);
  return {
    failToPass: failToPass.filter((id) => !isOurs(id)),
    passToPass: passToPass.filter((id) => !isOurs(id)),
    quarantined: [...quarantined, ...[...failToPass, ...passToPass].filter(isOurs)].sort(),
  };
}

function requireSteady({ failToPass, quarantined }: ClassifiedTests, evidence: readonly string[]): void {
  if (failToPass.length > 0) return;
  if (quarantined.length === 0)
    throw new Rejection('not_fixed', 'no test goes from fail to pass beside the others', { evidence });
  throw new Rejection('flaky', `${quarantined.length} tests change their answer, such as ${quarantined[0]}`, {
    evidence: [...quarantined.map((id) => `changes its answer: ${id}`), ...evidence],
  });
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

type Tree = 'newTests' | 'fixed';

interface Screened extends Screening {
  candidate: Candidate;
  built: Built;
  again: (name: Tree) => Promise<SuiteRun>;
}

/** Throws a rejection when the fix turns no test of the changed files from fail to pass. */
async function requireFix(
  { candidate, built, narrow, fixed, before, again }: Screened,
  options: ProveOptions,
): Promise<void> {
  if (differs(fixed, before)) return;
  const evidence = [...evidenceOf('with the fix', fixed), ...evidenceOf('without it', before)];
  if (candidate.steering.files.length + candidate.steering.deleted.length > 0) {
    const all = composeChange({
      submission: merge(candidate.reference, candidate.steering),
      hidden: candidate.hidden,
      steering: [],
      hiddenWins: true,
    });
    if (differs(await suite(built, narrow, all, options), before))
      throw new Rejection(
        'config_change',
        `the fix passes only with its change to ${candidate.steering.files[0]?.path ?? candidate.steering.deleted[0]}`,
        { evidence },
      );
  }
  await requireRebuilt(candidate, built);
  if (fixed.report.results.size === 0)
    throw new Rejection('suite_broken', await brokenDetail(fixed, built), { evidence });
  const isGreen = [...fixed.report.results.values()].every(({ status }) => status === 'passed');
  const wavers =
    differing(fixed, await again('newTests')) ?? (isGreen ? undefined : differing(await again('fixed'), before));
  if (wavers !== undefined) throw new Rejection('flaky', `the same run gives two answers for ${wavers}`, { evidence });
  throw new Rejection('not_fixed', 'the same tests pass before and after the fix', { evidence });
}

/** Throws a rejection when the fix changes what was compiled into the environment, so that it cannot show. */
async function requireRebuilt({ reference }: Candidate, built: Built): Promise<void> {
  const { compiledFrom } = await built.environment();
  const path = [...reference.files.map((file) => file.path), ...reference.deleted].find((each) =>
    compiledFrom?.test(each),
  );
  if (path !== undefined)
    throw new Rejection(
      'not_rebuilt',
      `the fix changes ${path}, which is compiled into the environment, and only once`,
    );
}

const merge = (a: ChangeSet, b: ChangeSet): ChangeSet => ({
  files: [...a.files, ...b.files],
  deleted: [...a.deleted, ...b.deleted],
});

async function brokenDetail({ exec, report }: SuiteRun, built: Built): Promise<string> {
  if (exec.timedOut) return 'the tests outlast their time';
  const [uncollected] = report.uncollected;
  const reason = tellingText(exec.stderr, BROKEN_CHARACTERS) || `exit code ${exec.exitCode}`;
  const { notes = [] } = await built.environment();
  const left = notes.length === 0 ? '' : `; the environment was built ${notes.join(', ')}`;
  return `nothing was collected${uncollected === undefined ? '' : ` (${uncollected})`}: ${reason}${left}`;
}

/** Narrows the command to files that exist at T0; null when none of them does. */
async function existing(built: Built, command: TestCommand): Promise<TestCommand | null> {
  if (command.files.length === 0) return command;
  const present: string[] = [];
  for (const file of command.files)
    if (
      await access(join(built.t0Directory, file)).then(
        () => true,
        () => false,
      )
    )
      present.push(file);
  return present.length === 0 ? null : { ...command, files: present };
}

/** Runs tests on T0 with a change. */
export const suite = async (
  built: Built,
  command: TestCommand,
  change: ChangeSet,
  { provider, signal, only }: ProveOptions & { only?: readonly string[] | undefined },
): Promise<SuiteRun> =>
  runSuite({
    command,
    change,
    t0Directory: built.t0Directory,
    environment: await built.environment(),
    provider,
    signal,
    only,
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
