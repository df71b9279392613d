import { digestChange } from '@assay/files/digest-change';
import { observeBehaviour } from '../verify/split/observe-behaviour.ts';
import type { Built } from './2-build.ts';
import type { Proven } from './3-prove.ts';
import type { Candidate } from './candidate.ts';
import type { MineContext } from './mine-context.ts';
import { tellBehaviour, type ToldBehaviour } from './tell-behaviour.ts';

/** Observes what the tests of the fix ask for, and chooses what of it an instruction tells; null when it is nothing. */
export async function behaviourOf(
  candidate: Candidate,
  { built, proven, isClean }: { built: Built; proven: Proven; isClean: (sentence: string) => boolean },
  { provider, signal, progress }: Pick<MineContext, 'provider' | 'signal' | 'progress'>,
): Promise<ToldBehaviour | null> {
  const { ecosystem, reference, hidden } = candidate;
  const { failToPass, passToPass, command, seen } = proven;
  const behaviours = await observeBehaviour({
    task: { meta: { steering: [...ecosystem.steering] } },
    command,
    expected: { failToPass, passToPass },
    reference,
    hidden,
    seen,
    t0Directory: built.t0Directory,
    environment: await built.environment(),
    provider,
    signal,
    progress,
  });
  const seed = `${digestChange(reference)}${digestChange(hidden)}`;
  const verb = ecosystem.split?.raiseWord ?? 'raise';
  return tellBehaviour({ behaviours, failToPass, seed, verb, isClean });
}
