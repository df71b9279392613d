import type { ShownTask } from '@assay/protocol';
import { readHidden, readTask, requireKind } from '../bundle/read-task.ts';
import { readSplitOracle } from '../bundle/split-oracle.ts';
import type { DiffTask } from '../bundle/task.ts';
import { COMPARED } from '../verify/diff/verify-diff.ts';
import { isComparedOutside } from '../verify/split/classify-split.ts';
import { trustOfPlan } from '../verify/split/split-trust.ts';

/**
 * Tells what a task of a repository is made of and how far its verdicts can be believed: every required test with its class
 * and why, and the proof. It names tests, so it is nothing for an agent. Throws as `readTask` and `readSplitOracle` do.
 */
export async function showTask(directory: string): Promise<ShownTask> {
  const read = await readTask(directory);
  if (read.kind === 'diff') return showCompared(read);
  const task = requireKind('repository', read);
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

/** A task whose submissions are compared has no tests. */
function showCompared({ id, meta }: DiffTask): ShownTask {
  const { source, pipeline, t0, proof, statement, untested, parts, judged, profile } = meta;
  const judge = judged ? ['a model judges what is neither the same nor nothing'] : [];
  return {
    id,
    source,
    pipeline,
    t0,
    runner: `compared in ${parts} parts by the profile ${profile}`,
    proof,
    specificity: 0,
    statement,
    trust: { ...COMPARED, reasons: [...COMPARED.reasons, ...judge, `no test decides: ${untested}`] },
    tests: [],
    sites: [],
    quarantined: [],
  };
}
