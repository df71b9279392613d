import type { TestCommand } from '@assay/protocol';
import type { SuiteRun } from '../verify/run-suite.ts';
import type { Built } from './2-build.ts';
import type { Candidate } from './candidate.ts';
import { movedIds } from './unstable-ids.ts';

/** Other settings that are tried where the fix does not show with the first. */
const MOST_OTHERS = 4;

export interface Screening {
  /** For the changed test files: T0's, or one that builds first or has other settings. */
  narrow: TestCommand;
  fixed: SuiteRun;
  before: SuiteRun;
}

interface ScreenOptions {
  /** Test files that the change adds or edits. */
  changed: readonly string[];
  run(name: 'fixed' | 'newTests', command: TestCommand): Promise<SuiteRun>;
  progress?: ((text: string) => void) | undefined;
}

/**
 * Runs the changed test files once with the fix and once without. What the log says is missing is built first; where no
 * test tells the fix, other settings of T0's scripts, such as time zones, are tried.
 */
export async function screen(
  candidate: Candidate,
  { t0Directory, command }: Built,
  { changed, run, progress }: ScreenOptions,
): Promise<Screening> {
  const { ecosystem } = candidate;
  let narrow: TestCommand = { ...command, files: [...changed] };
  let fixed = await run('fixed', narrow);
  const log = logOfFailures(fixed);
  const builds = log === null ? null : ((await ecosystem.commandThatBuilds?.(t0Directory, narrow, log)) ?? null);
  if (builds) {
    progress?.('screening with what a build makes');
    narrow = builds;
    fixed = await run('fixed', narrow);
    // A build that never ends would be waited for again and again.
    if (fixed.exec.timedOut === true && fixed.report.results.size === 0) return { narrow, fixed, before: fixed };
  }
  const before = await run('newTests', narrow);
  if (differs(fixed, before)) return { narrow, fixed, before };
  const others = (await ecosystem.otherCommands?.(t0Directory, narrow)) ?? [];
  for (const other of others.slice(0, MOST_OTHERS)) {
    progress?.('screening with other settings');
    const tried = { narrow: other, fixed: await run('fixed', other), before: await run('newTests', other) };
    if (differs(tried.fixed, tried.before)) return tried;
  }
  return { narrow, fixed, before };
}

/** What a run says of files that were not loaded and of tests that failed; null when all passed. */
function logOfFailures({ report, exec }: SuiteRun): string | null {
  const results = [...report.results.values()];
  const failures = results.filter(({ status }) => status === 'failed' || status === 'error');
  if (failures.length === 0 && report.uncollected.length === 0 && results.length > 0) return null;
  return [...report.uncollected, ...failures.flatMap(({ detail }) => detail ?? []), exec.stderr].join('\n');
}

/** A test that passes in the first run and not in the second, by whatever id the second knows it. */
export function differing(fixed: SuiteRun, before: SuiteRun): string | undefined {
  const [all, others] = [fixed.report.results, before.report.results];
  const moved = movedIds(all.keys(), others.keys());
  return [...all].find(
    ([id, { status }]) => status === 'passed' && others.get(moved.get(id) ?? id)?.status !== 'passed',
  )?.[0];
}

export const differs = (fixed: SuiteRun, before: SuiteRun): boolean => differing(fixed, before) !== undefined;
