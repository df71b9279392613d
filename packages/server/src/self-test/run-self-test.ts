import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OnProgress, SelfTestResult } from '@assay/protocol';
import { AssayError } from '@assay/protocol/errors';
import { affectedTests } from './affected-tests.ts';
import { changedFiles } from './changed-files.ts';
import { findTestFiles } from './find-test-files.ts';
import { readImportGraph } from './import-graph.ts';
import type { JobOutcome } from './job-outcome.ts';
import { orderTestFiles } from './order-test-files.ts';
import { runCheck } from './run-check.ts';
import { runTestFile } from './run-test-file.ts';
import { readTestHistory, writeTestHistory, type TestHistory } from './test-history.ts';

export interface SelfTestOptions {
  root: string;
  /** Only test files whose path contains this, and no checks. */
  filter?: string;
  /** Only test files that the changes since `main` (on `main`: since HEAD) can affect. */
  changed: boolean;
  /** A skipped test is a failure: this machine has, or can have, all that any test needs. */
  strict: boolean;
  /** Also runs the tests that are otherwise left out because they take long. */
  all: boolean;
  signal: AbortSignal;
  onEvent: OnProgress;
}

/** The scripts of package.json that must pass beside the tests. */
const CHECKS = ['format', 'typecheck', 'lint', 'tiers'] as const;

interface SelfTestJob {
  name: string;
  isTestFile: boolean;
  run: () => Promise<JobOutcome>;
}

/**
 * Runs the checks, then the test files, one more at a time than there are processors: most of them wait more than they
 * work. Rejects with `BAD_OPTION` when `changed` is asked for where git cannot say what changed.
 */
export async function runSelfTest(options: SelfTestOptions): Promise<SelfTestResult> {
  const shared = await mkdtemp(join(tmpdir(), 'assay-test-shared-'));
  try {
    return await runJobs(await listJobs({ ...options, shared }), options);
  } finally {
    await rm(shared, { recursive: true, force: true });
  }
}

async function runJobs(jobs: readonly SelfTestJob[], { root, onEvent }: SelfTestOptions): Promise<SelfTestResult> {
  const startedAt = performance.now();
  const result: SelfTestResult = { passed: 0, failed: 0, skipped: 0, failures: [], elapsedMs: 0 };
  const latest: TestHistory = {};
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let job = jobs[next++]; job !== undefined; job = jobs[next++]) {
      onEvent({ type: 'item-start', item: job.name });
      const jobStartedAt = performance.now();
      const outcome = await job.run();
      const failed = outcome.failures.length > 0;
      if (job.isTestFile) latest[job.name] = { seconds: (performance.now() - jobStartedAt) / 1000, failed };
      result.passed += outcome.passed;
      result.skipped += outcome.skipped;
      result.failures.push(...outcome.failures);
      done += 1;
      onEvent({ type: 'item-end', item: job.name, ok: !failed, text: describe(outcome), done, total: jobs.length });
    }
  };
  try {
    await Promise.all(Array.from({ length: availableParallelism() + 1 }, work));
  } finally {
    await writeTestHistory(root, latest);
  }
  result.failed = result.failures.length;
  result.elapsedMs = performance.now() - startedAt;
  return result;
}

async function listJobs(options: SelfTestOptions & { shared: string }): Promise<SelfTestJob[]> {
  const { root, filter, signal } = options;
  const checks = filter === undefined ? CHECKS : [];
  const files = await chooseTestFiles(options);
  return [
    ...checks.map((name) => ({ name, isTestFile: false, run: () => runCheck(name, { root, signal }) })),
    ...files.map((file) => ({ name: file, isTestFile: true, run: () => runTestFile(file, options) })),
  ];
}

async function chooseTestFiles({ root, filter, changed, signal }: SelfTestOptions): Promise<string[]> {
  const difference = await changedFiles(root, signal);
  let files = await findTestFiles(root);
  if (filter !== undefined) files = files.filter((file) => file.includes(filter));
  if (changed) {
    if (!difference) {
      throw new AssayError('BAD_OPTION', {
        option: '--changed',
        detail: 'git cannot say what changed in this checkout',
      });
    }
    files = affectedTests(files, { changed: difference, graph: await readImportGraph(root) });
  }
  return orderTestFiles(files, { history: await readTestHistory(root), changed: new Set(difference) });
}

function describe({ passed, skipped, failures }: JobOutcome): string {
  const parts = [`${passed} passed`];
  if (failures.length > 0) parts.push(`${failures.length} failed`);
  if (skipped > 0) parts.push(`${skipped} skipped`);
  return parts.join(', ');
}
