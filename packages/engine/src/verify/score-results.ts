import { stripVTControlCharacters } from 'node:util';
import type { TestResult, Trust } from '@assay/protocol';
import type { ExecResult } from '@assay/sandbox';
import type { ChannelProblem, ChannelReport } from './read-channel.ts';

/** Ids of a task that must pass. An id may stand in one list only. */
export interface ExpectedTests {
  failToPass: readonly string[];
  passToPass: readonly string[];
}

export interface Score {
  outcome: 'pass' | 'fail';
  reward: 0 | 1;
  /** `f2p_rate` and `p2p_rate` are 1 when nothing was expected of that kind. */
  components: ScoreComponents;
  /** One for every expected id, in the order expected; `missing` when no record came. */
  tests: TestResult[];
  trust: Trust;
  /** One line for a person: why it failed. Absent when it passed. */
  note?: string;
}

// A type, not an interface: it must fit a record of numbers.
export type ScoreComponents = {
  f2p_rate: number;
  p2p_rate: number;
  f2p_total: number;
  f2p_passed: number;
  p2p_total: number;
  p2p_passed: number;
};

const IN_PROCESS: Trust = { level: 'in-process', reasons: ['hidden tests and the submission share a process'] };

/**
 * Pass if and only if the channel is whole and every expected id was recorded as passed exactly once. `trust` is that of
 * a verdict without forged records.
 */
export function scoreResults(
  report: ChannelReport,
  exec: ExecResult,
  expected: ExpectedTests,
  trust: Trust = IN_PROCESS,
): Score {
  const tally = tallyTests(report.results, expected);
  const forged = report.problems.includes('forged');
  const why = explain(report, exec, tally.tests);
  const passed = why === undefined && exec.timedOut !== true;
  return {
    outcome: passed ? 'pass' : 'fail',
    reward: passed ? 1 : 0,
    components: tally.components,
    tests: tally.tests,
    trust: forged
      ? { level: 'forged', reasons: ['something else than the runner wrote on the result channel'] }
      : trust,
    ...(why === undefined ? {} : { note: why }),
  };
}

/**
 * The naive reader, used only with the seal `result-channel` off: it believes any line of the log that says a test
 * passed, and the exit code for a test of which no line says anything. This is how graders are fooled by a submission
 * that prints, or exits early.
 */
export function scoreLog(log: string, exec: ExecResult, expected: ExpectedTests): Score {
  const lines = readLogLines(log);
  const believed = (id: string): boolean => lines.get(id) ?? exec.exitCode === 0;
  const results = new Map<string, TestResult>();
  for (const id of [...expected.failToPass, ...expected.passToPass]) {
    if (believed(id)) results.set(id, { id, status: 'passed', durationMs: 0 });
    else if (lines.has(id)) results.set(id, { id, status: 'failed', durationMs: 0 });
  }
  const { components, tests } = tallyTests(results, expected);
  const bad = tests.filter((test) => test.status !== 'passed');
  const passed = tests.length > 0 && bad.length === 0;
  return {
    outcome: passed ? 'pass' : 'fail',
    reward: passed ? 1 : 0,
    components,
    tests,
    trust: { level: 'unsealed', reasons: ['results were read from the log, which the submission can write'] },
    ...(passed ? {} : { note: `${bad.length} of ${tests.length} expected tests did not pass in the log` }),
  };
}

const RESULT_FIRST = /^(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (.+?)(?: - .*)?$/;
const RESULT_LAST = /^(.+?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?: +\[ *\d+%\])?$/;
const MARKED = /^\s*([✔✓√✖✗×]) (.+?)(?: \(\d[\d.]* ?m?s\))?$/;

/** Test id to whether any line says that it passed. */
function readLogLines(log: string): Map<string, boolean> {
  const found = new Map<string, boolean>();
  const note = (id: string | undefined, passed: boolean): void => {
    if (id !== undefined) found.set(id, passed || found.get(id) === true);
  };
  for (const line of stripVTControlCharacters(log).split(/\r?\n/)) {
    const first = RESULT_FIRST.exec(line);
    const last = RESULT_LAST.exec(line);
    const marked = MARKED.exec(line);
    if (first) note(first[2], first[1] === 'PASSED');
    else if (last) note(last[1], last[2] === 'PASSED');
    else if (marked) note(marked[2], '✔✓√'.includes(marked[1] ?? ' '));
  }
  return found;
}

/** Counts expected ids in results by id. */
function tallyTests(
  results: ReadonlyMap<string, TestResult>,
  expected: ExpectedTests,
): { components: ScoreComponents; tests: TestResult[] } {
  const find = (id: string): TestResult => results.get(id) ?? { id, status: 'missing', durationMs: 0 };
  const failToPass = expected.failToPass.map(find);
  const passToPass = expected.passToPass.map(find);
  const f2pPassed = countPassed(failToPass);
  const p2pPassed = countPassed(passToPass);
  return {
    components: {
      f2p_rate: rate(f2pPassed, failToPass.length),
      p2p_rate: rate(p2pPassed, passToPass.length),
      f2p_total: failToPass.length,
      f2p_passed: f2pPassed,
      p2p_total: passToPass.length,
      p2p_passed: p2pPassed,
    },
    tests: [...failToPass, ...passToPass],
  };
}

/**
 * Why this is no pass; undefined when it is one. The first cause wins: a time-out explains missing records, not the
 * other way round.
 */
function explain(report: ChannelReport, exec: ExecResult, tests: readonly TestResult[]): string | undefined {
  const problem = (name: ChannelProblem): boolean => report.problems.includes(name);
  if (problem('forged')) return 'the result channel holds records that are not the runner’s';
  if (exec.timedOut) return `the tests did not end in time${recorded(report)}`;
  if (exec.outOfMemory) return `the tests ran out of memory${recorded(report)}`;
  if (problem('too-large') || (exec.truncated && !report.ended))
    return 'the tests wrote more than the result channel takes';
  if (problem('no-start')) return `the test runner did not start (exit code ${exec.exitCode})`;
  if (problem('no-end')) return `the test run ended before its end (exit code ${exec.exitCode})${recorded(report)}`;
  if (problem('duplicate')) return 'a test was recorded twice';
  if (problem('count')) return 'the number of records is not the number of tests that ran';
  if (tests.length === 0) return 'no test is expected, so nothing is shown';
  const bad = tests.filter((test) => test.status !== 'passed');
  if (bad.length === 0) return undefined;
  if (report.results.size === 0) return `no test ran${notLoaded(report)}`;
  const [first] = bad;
  const such = `such as ${first?.id} (${first?.status})${notLoaded(report)}`;
  return `${bad.length} of ${tests.length} expected tests did not pass, ${such}`;
}

function recorded(report: ChannelReport): string {
  return `; ${report.results.size} tests were recorded`;
}

function notLoaded({ uncollected }: ChannelReport): string {
  return uncollected.length === 0
    ? ''
    : `; not loaded: ${uncollected.slice(0, 3).join(', ')}${uncollected.length > 3 ? ', …' : ''}`;
}

const countPassed = (tests: readonly TestResult[]): number => tests.filter((test) => test.status === 'passed').length;
const rate = (passed: number, total: number): number => (total === 0 ? 1 : passed / total);
