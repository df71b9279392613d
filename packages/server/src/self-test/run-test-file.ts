import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, type CommandResult } from '@assay/sandbox';
import type { JobOutcome, TestFailure } from './job-outcome.ts';
import { endLeftProcesses } from './left-processes.ts';
import { TestRecord, type TestEnd } from './test-record.ts';

const REPORTER = join(import.meta.dirname, 'record-reporter.ts');
/** Only a file that hangs takes that long, on a loaded machine too. */
const TIMEOUT_MS = 40 * 60_000;
const SHOWN_OUTPUT = 4000;

export interface RunTestFileOptions {
  root: string;
  strict: boolean;
  all: boolean;
  /** A directory for fixtures that several test files need. */
  shared: string;
  signal: AbortSignal;
}

/**
 * Runs one test file, a path from `root`, in a process of its own. It fails when it dies, hangs, ends before its tests
 * do, holds no test, or leaves a process running.
 */
export async function runTestFile(file: string, options: RunTestFileOptions): Promise<JobOutcome> {
  const { root, strict, all, shared, signal } = options;
  const timeoutMs = all ? 6 * TIMEOUT_MS : TIMEOUT_MS;
  const directory = await mkdtemp(join(tmpdir(), 'assay-self-test-'));
  try {
    const recordFile = join(directory, 'records.jsonl');
    const result = await runCommand(
      [
        process.execPath,
        '--disable-warning=ExperimentalWarning',
        `--test-reporter=${REPORTER}`,
        `--test-reporter-destination=${recordFile}`,
        file,
      ],
      { cwd: root, env: testEnvironment({ root, all, shared, marker: directory }), timeoutMs, signal },
    );
    const records = await readRecords(recordFile);
    const outcome = summarise(file, records, strict);
    const problem = problemOf(result, records, timeoutMs);
    if (problem !== null && (outcome.failures.length === 0 || result.timedOut)) {
      const output = Buffer.concat([result.stdout, result.stderr]).toString('utf8').slice(-SHOWN_OUTPUT);
      outcome.failures.push({ name: file, detail: `${problem}\n${output}`.trimEnd() });
    }
    const left = await endLeftProcesses(directory);
    if (left.length > 0) outcome.failures.push({ name: file, detail: `left running:\n${left.join('\n')}` });
    return outcome;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function readRecords(file: string): Promise<(TestEnd | 'end')[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  // A process that is killed may leave half a line.
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => TestRecord.parse(JSON.parse(line)));
}

function problemOf(
  { exitCode, timedOut }: CommandResult,
  records: readonly (TestEnd | 'end')[],
  timeoutMs: number,
): string | null {
  if (timedOut) return `did not end in ${timeoutMs / 60_000} minutes`;
  if (exitCode !== 0) return `ended with ${exitCode ?? 'a signal'}`;
  if (records.length < 2) return 'holds no test, or ended before its first one did';
  return records.at(-1) === 'end' ? null : 'ended before its tests did';
}

function summarise(file: string, records: readonly (TestEnd | 'end')[], strict: boolean): JobOutcome {
  const failures: TestFailure[] = [];
  const count = { passed: 0, skipped: 0 };
  for (const record of records) {
    if (record === 'end') continue;
    const { path, status, detail } = record;
    const name = [file, ...path].join(' > ');
    if (status === 'failed') failures.push({ name, detail });
    else if (status === 'skipped' && strict)
      failures.push({ name, detail: `skipped, on a machine where it must run: ${detail}` });
    else count[status] += 1;
  }
  return { ...count, failures };
}

/**
 * Ours, without what would make a test believe that it is run by another test runner. With the compile cache, a test
 * file and every `assay` that it starts take half the time to load.
 */
function testEnvironment({
  root,
  all,
  shared,
  marker,
}: Pick<RunTestFileOptions, 'root' | 'all' | 'shared'> & { marker: string }): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && name !== 'NODE_TEST_CONTEXT') environment[name] = value;
  }
  environment['NODE_COMPILE_CACHE'] = join(root, '.assay', 'compile-cache');
  environment['ASSAY_SELF_TEST'] = marker;
  environment['ASSAY_TEST_SHARED'] = shared;
  if (all) environment['ASSAY_TEST_ALL'] = '1';
  return environment;
}
