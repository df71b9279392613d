import type { ShownTask } from '@assay/protocol';
import { readHidden, readTaskOf } from '../bundle/read-task.ts';
import { readSplitOracle } from '../bundle/split-oracle.ts';
import { isComparedOutside } from '../verify/split/classify-split.ts';
import { trustOfPlan } from '../verify/split/split-trust.ts';

/**
 * Tells what a repository task is made of and how far its verdicts can be believed: every required test with its class
 * and why, and the proof. It names tests, so it is nothing for an agent. Throws as `readTask` and `readSplitOracle` do.
 */
export async function showTask(directory: string): Promise<ShownTask> {
  const task = await readTaskOf('repository', directory);
  const { meta } = task;
  const split = await readSplitOracle(task.directory, await readHidden(task), meta.test);
  const expected = { failToPass: meta.fail_to_pass, passToPass: meta.pass_to_pass };
  const planned = new Map(split?.plan.tests.map((test) => [test.id, test]));
  const describe = (role: 'f2p' | 'p2p') => (id: string) => {
    const test = planned.get(id);
    const why = test ? test.why : 'the task was not split: `assay task split` does that';
    return {
      id,
      role,
      class: test?.class ?? ('in-process' as const),
      outside: test !== undefined && isComparedOutside(test),
      why,
    };
  };
  return {
    id: task.id,
    source: meta.source,
    pipeline: meta.pipeline,
    t0: meta.t0,
    runner: meta.test.runner,
    proof: meta.proof,
    specificity: meta.specificity,
    behaviour: meta.behaviour,
    statement: meta.statement,
    trust: split
      ? trustOfPlan(split.plan, expected)
      : { level: 'in-process', reasons: ['hidden tests and the submission share a process'] },
    tests: [...expected.failToPass.map(describe('f2p')), ...expected.passToPass.map(describe('p2p'))],
    sites: split?.plan.sites ?? [],
    quarantined: meta.quarantined,
    suite: meta.suite,
  };
}
