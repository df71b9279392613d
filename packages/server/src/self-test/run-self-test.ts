import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import type { OnProgress } from '@assay/protocol';
import type { JobOutcome, TestFailure } from './job-outcome.ts';
import { runCheck } from './run-check.ts';
import { findTestFiles } from './find-test-files.ts';
import { runTestFile } from './run-test-file.ts';

export interface SelfTestOptions {
  root: string;
  /** Only test files whose path contains this, and no checks. */
  filter?: string;
  /** A skipped test is a failure: this machine has, or can have, all that any test needs. */
  strict: boolean;
  /** Tests that are left out because they take long are run, too. */
  all: boolean;
  signal: AbortSignal;
  onEvent: OnProgress;
}

export interface SelfTestResult {
  passed: number;
  failed: number;
  skipped: number;
  failures: TestFailure[];
  elapsedMs: number;
}

/** The scripts of package.json that must pass beside the tests. */
const CHECKS = ['format', 'typecheck', 'lint', 'tiers'] as const;

interface SelfTestJob {
  name: string;
  run: () => Promise<JobOutcome>;
}

/**
 * Runs the checks and every test file, one more at a time than there are processors: most of them wait more than they
 * work.
 */
export async function runSelfTest(options: SelfTestOptions): Promise<SelfTestResult> {
  const startedAt = performance.now();
  const jobs = await listJobs(options);
  const result: SelfTestResult = { passed: 0, failed: 0, skipped: 0, failures: [], elapsedMs: 0 };
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let job = jobs[next++]; job !== undefined; job = jobs[next++]) {
      options.onEvent({ type: 'item-start', item: job.name });
      const outcome = await job.run();
      result.passed += outcome.passed;
      result.skipped += outcome.skipped;
      result.failures.push(...outcome.failures);
      done += 1;
      options.onEvent({
        type: 'item-end',
        item: job.name,
        ok: outcome.failures.length === 0,
        text: describe(outcome),
        done,
        total: jobs.length,
      });
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, work));
  result.failed = result.failures.length;
  result.elapsedMs = performance.now() - startedAt;
  return result;
}

async function listJobs({ root, filter, strict, all, signal }: SelfTestOptions): Promise<SelfTestJob[]> {
  const checks = filter === undefined ? CHECKS : [];
  const files = (await findTestFiles(root)).filter(
    (file) => filter === undefined || relative(root, file).includes(filter),
  );
  return [
    ...checks.map((name) => ({ name, run: () => runCheck(name, { root, signal }) })),
    ...files.map((file) => ({
      name: relative(root, file),
      run: () => runTestFile(file, { root, strict, all, signal }),
    })),
  ];
}

function describe({ passed, skipped, failures }: JobOutcome): string {
  const parts = [`${passed} passed`];
  if (failures.length > 0) parts.push(`${failures.length} failed`);
  if (skipped > 0) parts.push(`${skipped} skipped`);
  return parts.join(', ');
}
