import type { SplitClass, SplitCounts, SplitPlan, Trust } from '@assay/protocol';
import type { ExpectedTests } from '../score-results.ts';
import { isComparedOutside } from './classify-split.ts';

const IN_PROCESS = 'hidden tests and the submission share a process';

/**
 * Returns how far a verdict by this plan can be believed. `split`: no test that goes from fail to pass needs the
 * submission's process, and no guess satisfies one of them. `mixed`: a guess satisfies no part of one of them, and
 * others are compared inside.
 */
export function trustOfPlan(plan: SplitPlan, expected: ExpectedTests): Trust {
  const classes = new Map(plan.tests.map((test) => [test.id, isComparedOutside(test) ? test.class : 'in-process']));
  const classOf = (id: string): SplitClass => classes.get(id) ?? 'in-process';
  const count = (ids: readonly string[]): SplitCounts['f2p'] => ({
    strong: ids.filter((id) => ['split', 'mixed'].includes(classOf(id))).length,
    outside: ids.filter((id) => classOf(id) !== 'in-process').length,
    total: ids.length,
  });
  const split: SplitCounts = {
    f2p: count(expected.failToPass),
    p2p: count(expected.passToPass),
    strongSites: plan.sites.filter(({ level }) => level === 'strong').length,
  };
  const hasSplit = expected.failToPass.some((id) => classOf(id) === 'split');
  const { strong, outside, total } = split.f2p;
  const told = `${strong} of ${total} tests of the fix are compared outside and cannot be guessed`;
  if (hasSplit && outside === total && expected.failToPass.every((id) => classOf(id) !== 'mixed'))
    return { level: 'split', reasons: [told], split };
  if (strong > 0)
    return { level: 'mixed', reasons: [told, `${total - outside} share a process with the submission`], split };
  return {
    level: 'in-process',
    reasons: [outside === 0 ? IN_PROCESS : `what is compared outside can be guessed`],
    split,
  };
}
