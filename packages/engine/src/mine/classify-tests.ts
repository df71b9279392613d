import type { TestStatus } from '@assay/protocol';

/**
 * The status of each test in each run, by tree: T0 with its own tests, T0 with the new tests, the fix with the new
 * tests.
 */
export interface RunStatuses {
  own: Map<string, TestStatus>[];
  newTests: Map<string, TestStatus>[];
  fixed: Map<string, TestStatus>[];
}

export interface ClassifiedTests {
  failToPass: string[];
  passToPass: string[];
  quarantined: string[];
}

/**
 * Classifies tests. F2P: passes with the fix and not with the new tests alone. P2P: passes with the fix and before. A
 * test whose result differs between two runs of one tree is quarantined: it counts nowhere, and nothing is retried
 * until green. A test unknown to the run with the new tests (its file could not be loaded without the fix) counts as
 * failing only if T0's own run did not pass it; otherwise one unloadable file would turn all its old tests into F2P.
 */
export function classifyTests(runs: RunStatuses): ClassifiedTests {
  const result: ClassifiedTests = { failToPass: [], passToPass: [], quarantined: [] };
  const ids = new Set(runs.fixed.flatMap((run) => [...run.keys()]));
  for (const id of [...ids].sort()) {
    const fixed = settled(runs.fixed, id);
    const before = settled(runs.newTests, id);
    const own = settled(runs.own, id);
    if (fixed === 'unsettled' || before === 'unsettled' || own === 'unsettled') {
      result.quarantined.push(id);
      continue;
    }
    if (fixed !== 'passed') continue;
    const passedBefore = before === 'missing' ? own === 'passed' : before === 'passed';
    (passedBefore ? result.passToPass : result.failToPass).push(id);
  }
  return result;
}

/**
 * Returns the status on which every run agrees. Two ways of not passing agree; passing once and not passing once do
 * not.
 */
function settled(runs: Map<string, TestStatus>[], id: string): TestStatus | 'unsettled' {
  const seen = runs.map((run) => run.get(id) ?? 'missing');
  const first = seen[0] ?? 'missing';
  if (seen.every((status) => status === first)) return first;
  return seen.some((status) => status === 'passed') ? 'unsettled' : 'failed';
}
