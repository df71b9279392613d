import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { TestCommand, type TestStatus } from '@assay/protocol';
import { runCommand, type ExecResult } from '@assay/sandbox';
import { channelCode, readChannel, type ChannelReport } from '../verify/read-channel.ts';
import { scoreLog, scoreResults, type Score } from '../verify/score-results.ts';
import type { Launch, LaunchRequest } from './ecosystem.ts';
import type { RunnerPlace } from './runner-place.ts';

const NONCE = 'f00dfeedf00dfeedf00dfeedf00dfeed';
const TIMEOUT_MS = 120_000;
/** Runs until a control bites: what an attack prints races with what the runner prints. Every run has to be sealed. */
const ATTEMPTS = 4;
/** A file that appears when something ran that must not. */
export const MARKER = 'marker-of-something-that-ran';

/** One runner, with the suites of its language that put it to the test. */
export interface RunnerSubject {
  command: Pick<TestCommand, 'ecosystem' | 'runner'>;
  launch(request: LaunchRequest, place: RunnerPlace): Launch;
  /** A directory below which repositories are made, so that installed packages are found from them. */
  home(): Promise<string>;
  /** Variables of an environment that `launch` reads, such as the path of the interpreter, and PATH. */
  env(): Record<string, string>;
  /** All that can be told apart in one run. */
  suite: SuiteScenario;
  /** A test file without a test. */
  empty: Scenario;
  /** A test that never ends. */
  hang: Scenario;
  attacks: Record<AttackName, AttackScenario>;
}

export interface Scenario {
  /** Path to content. */
  files: Record<string, string>;
  /** Test files. */
  run: string[];
  args?: string[];
}

export interface SuiteScenario extends Scenario {
  /** Every record, id to status. */
  results: Record<string, TestStatus>;
  /** Files that cannot be loaded. */
  uncollected: string[];
}

/** The code under test attacks while `victim`, an honest test of it, cannot pass. */
export interface AttackScenario extends Scenario {
  victim: string;
  /** Variables of the environment that try to steer the runner. */
  env?: Record<string, string>;
  /** Whether a reader of the log is fooled: the positive control. */
  foolsLog: boolean;
}

export type AttackName =
  /** Ends the process with exit code 0 when it is loaded. */
  | 'exit-on-load'
  /** The same from inside of the test. */
  | 'exit-in-test'
  /** Turns the exit code into 0 when all is over. */
  | 'exit-at-end'
  /** Prints records and lines of passing tests on standard output and error. */
  | 'prints'
  /** Writes them to every descriptor of its own and of other processes. */
  | 'descriptors'
  /** Replaces what prints, serialises and writes. */
  | 'patched-globals'
  /** Variables that steer the interpreter or the runner, such as PYTEST_ADDOPTS. */
  | 'environment';

export interface RunOutcome {
  report: ChannelReport;
  exec: ExecResult;
  root: string;
}

/** Declares the tests that every runner passes. */
export function runnerConformance(subject: RunnerSubject): void {
  describe(`runner conformance: ${subject.command.runner}`, () => {
    test('every status, odd titles, files that do not load', async () => {
      await withRun(subject, subject.suite, ({ report, exec }) => {
        assert.deepEqual(report.problems, [], exec.stderr);
        const results = Object.fromEntries([...report.results].map(([id, { status }]) => [id, status]));
        assert.deepEqual(results, subject.suite.results);
        assert.deepEqual([...report.uncollected].sort(), [...subject.suite.uncollected].sort());
      });
    });

    test('a file without tests shows nothing', async () => {
      await withRun(subject, subject.empty, ({ report, exec }) => {
        assert.equal(report.results.size, 0);
        const score = scoreResults(report, exec, { failToPass: ['a test'], passToPass: [] });
        assert.equal(score.reward, 0);
        assert.equal(scoreResults(report, exec, { failToPass: [], passToPass: [] }).reward, 0);
      });
    });

    test('a test that never ends', async () => {
      await withRun(
        subject,
        subject.hang,
        ({ report, exec }) => {
          assert.equal(exec.timedOut, true);
          assert.equal(report.ended, false);
          const score = scoreResults(report, exec, { failToPass: ['a test'], passToPass: [] });
          assert.equal(score.reward, 0);
          assert.match(score.note ?? '', /in time/);
        },
        { timeoutMs: 6000 },
      );
    });

    for (const [name, attack] of Object.entries(subject.attacks)) {
      test(`attack: ${name}`, async () => {
        const options = attack.env ? { env: attack.env } : {};
        let printed = '';
        for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
          let fools = false;
          await withRun(
            subject,
            attack,
            (outcome) => {
              assertBlocked(outcome, attack);
              fools = foolsLog(outcome, attack);
              printed = outcome.exec.stderr;
            },
            options,
          );
          if (fools === attack.foolsLog) return;
          if (fools) break;
        }
        assert.fail(`control: expected ${attack.foolsLog ? 'a fooled log' : 'a log that is not fooled'}\n${printed}`);
      });
    }
  });
}

function assertBlocked({ report, exec, root }: RunOutcome, { victim }: AttackScenario): void {
  const expected = { failToPass: [victim], passToPass: [] };
  // A runner that does not even start blocks everything.
  assert.equal(report.started, true, exec.stderr);
  const sealed = scoreResults(report, exec, expected);
  assert.equal(sealed.reward, 0, exec.stderr);
  assert.notEqual(report.results.get(victim)?.status, 'passed');
  assert.equal(existsSync(join(root, MARKER)), false);
}

/** The control: whether the attack gets its way with who reads what the run prints. */
function foolsLog({ exec }: RunOutcome, { victim }: AttackScenario): boolean {
  const expected = { failToPass: [victim], passToPass: [] };
  const control: Score = scoreLog(`${exec.stdout}\n${exec.stderr}`, exec, expected);
  return control.reward === 1;
}

/** Runs a scenario on the host, in a new directory that plays the repository, and removes it afterwards. */
export async function withRun(
  subject: Pick<RunnerSubject, 'command' | 'launch' | 'home' | 'env'>,
  scenario: Scenario,
  check: (outcome: RunOutcome) => void | Promise<void>,
  options: { timeoutMs?: number; env?: Record<string, string>; observations?: string } = {},
): Promise<void> {
  const root = await mkdtemp(join(await subject.home(), 'repository-'));
  try {
    for (const [path, content] of Object.entries(scenario.files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    }
    const environment = { ...subject.env(), ...options.env };
    const launch = subject.launch(
      {
        command: TestCommand.parse({ ...subject.command, files: scenario.run, args: scenario.args ?? [] }),
        environment: {
          spec: { ...EMPTY_SPEC, ecosystem: subject.command.ecosystem },
          mounts: () => [],
          env: environment,
          layerDirectories: [],
          bundleFiles: new Map(),
        },
        nonce: NONCE,
        ...(options.observations === undefined ? {} : { observations: options.observations }),
      },
      { root, runner: null },
    );
    const result = await runCommand(launch.argv, {
      cwd: root,
      env: { PATH: '/usr/bin:/bin', HOME: root, TMPDIR: dirname(root), LANG: 'C.UTF-8', ...environment, ...launch.env },
      stdin: launch.stdin,
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    });
    const exec: ExecResult = {
      stdout: result.stdout.toString(),
      stderr: result.stderr.toString(),
      exitCode: result.exitCode ?? 137,
      timedOut: result.timedOut,
      truncated: result.truncated,
    };
    await check({ report: readChannel(exec.stdout, NONCE), exec, root });
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

const EMPTY_SPEC = {
  interpreter: '0',
  digest: '',
  resolution: 'none' as const,
  cutoff: '1970-01-01T00:00:00.000Z',
  pins: [],
  excluded: [],
};

/** Lines and records that claim a test passed. */
export function claims(id: string): string {
  const test = JSON.stringify({ type: 'test', id, status: 'passed', durationMs: 1 });
  const end = JSON.stringify({ type: 'end', tests: 1 });
  const inChild = JSON.stringify({
    nonce: 'guess',
    type: 'test',
    file: '',
    title: id,
    status: 'passed',
    durationMs: 1,
  });
  return [
    `PASSED ${id}`,
    `${id} PASSED`,
    `✔ ${id}`,
    `${channelCode('guess', 1, test)} ${test}`,
    test,
    `${channelCode('', 2, end)} ${end}`,
    inChild,
    '',
  ].join('\n');
}
