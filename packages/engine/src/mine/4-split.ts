import type { SplitOracle } from '../bundle/split-oracle.ts';
import type { ExpectedTests } from '../verify/score-results.ts';
import { bakeSplit } from '../verify/split/bake-split.ts';
import { trustOfPlan } from '../verify/split/split-trust.ts';
import type { Built } from './2-build.ts';
import type { Proven } from './3-prove.ts';
import { Rejection, type Candidate } from './candidate.ts';
import type { MineContext } from './mine-context.ts';

type SplitContext = Pick<MineContext, 'provider' | 'signal' | 'progress' | 'require'>;

/**
 * Stage 4: takes the hidden tests apart, as far as that goes; null when nothing of them can be. Throws `not_split` when
 * the context requires a test of the fix that is compared outside and cannot be guessed. `relaxed`: numbers of sites
 * whose exceptions are compared by their class alone.
 */
export async function splitTests(
  candidate: Candidate,
  { built, proven, relaxed }: { built: Built; proven: Proven; relaxed?: readonly number[] },
  { provider, signal, progress, require }: SplitContext,
): Promise<SplitOracle | null> {
  const expected = { failToPass: proven.failToPass, passToPass: proven.passToPass };
  const baked = await bakeSplit({
    task: { meta: { steering: [...candidate.ecosystem.steering] } },
    command: proven.command,
    expected,
    reference: candidate.reference,
    hidden: candidate.hidden,
    relaxed,
    seen: proven.seen,
    t0Directory: built.t0Directory,
    environment: await built.environment(),
    provider,
    signal,
    progress,
  });
  if (require === 'split' && !hasSplitTest(baked.split, proven.failToPass))
    throw new Rejection('not_split', 'why' in baked ? baked.why : whyNot(baked.split, expected));
  return baked.split;
}

const hasSplitTest = (split: SplitOracle | null, failToPass: readonly string[]): boolean =>
  split?.plan.tests.some((test) => test.class === 'split' && failToPass.includes(test.id)) ?? false;

function whyNot({ plan }: SplitOracle, expected: ExpectedTests): string {
  const first = plan.tests.find((test) => expected.failToPass.includes(test.id));
  return `${trustOfPlan(plan, expected).reasons[0] ?? ''}; ${first?.id}: ${first?.class}, ${first?.why ?? ''}`;
}
