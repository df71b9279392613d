import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { runCommand } from '@assay/sandbox';
import type { JobOutcome, TestFailure } from './job-outcome.ts';
import { TestRecord } from './test-record.ts';

const REPORTER = join(import.meta.dirname, 'record-reporter.ts');
const TIMEOUT_MS = 20 * 60_000;
const SHOWN_OUTPUT = 4000;

export interface RunTestFileOptions {
  root: string;
  strict: boolean;
  all: boolean;
  signal: AbortSignal;
}

/** Runs one test file in a process of its own. A file that dies, hangs or holds no test fails. */
export async function runTestFile(
  file: string,
  { root, strict, all, signal }: RunTestFileOptions,
): Promise<JobOutcome> {
  const timeoutMs = all ? 12 * TIMEOUT_MS : TIMEOUT_MS;
  const directory = await mkdtemp(join(tmpdir(), 'assay-self-test-'));
  try {
    const recordFile = join(directory, 'records.jsonl');
    const argv = [process.execPath, `--test-reporter=${REPORTER}`, `--test-reporter-destination=${recordFile}`, file];
    const { exitCode, timedOut, stdout, stderr } = await runCommand(argv, {
      cwd: root,
      env: { ...testEnvironment(), ...(all ? { ASSAY_TEST_ALL: '1' } : {}) },
      timeoutMs,
      signal,
    });
    const records = await readRecords(recordFile);
    const name = relative(root, file);
    const outcome = summarise(name, records, strict);
    if (outcome.failures.length === 0 && (exitCode !== 0 || records.length === 0)) {
      const why = timedOut
        ? `did not end in ${timeoutMs / 60_000} minutes`
        : exitCode === 0
          ? 'holds no test'
          : `ended with ${exitCode ?? 'a signal'}`;
      outcome.failures.push({
        name,
        detail: `${why}\n${Buffer.concat([stdout, stderr]).toString('utf8').slice(-SHOWN_OUTPUT)}`.trimEnd(),
      });
    }
    return outcome;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function readRecords(file: string): Promise<TestRecord[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => TestRecord.parse(JSON.parse(line)));
}

function summarise(file: string, records: readonly TestRecord[], strict: boolean): JobOutcome {
  const failures: TestFailure[] = [];
  const count = { passed: 0, skipped: 0 };
  for (const { path, status, detail } of records) {
    const name = [file, ...path].join(' > ');
    if (status === 'failed') failures.push({ name, detail });
    else if (status === 'skipped' && strict)
      failures.push({ name, detail: `skipped, on a machine where it must run: ${detail}` });
    else count[status] += 1;
  }
  return { ...count, failures };
}

/** Ours, without what would make a test believe that it is run by another test runner. */
function testEnvironment(): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && name !== 'NODE_TEST_CONTEXT') environment[name] = value;
  }
  return environment;
}
