import type { Ecosystem } from '../../ecosystems/ecosystem.ts';
import { PROSE } from '../../ecosystems/prose.ts';
import { steeringMatcher } from '../compose-verifier-tree.ts';

/** Whether a path is of the kind that is compared: what a reference is made of, and not prose. */
export function countsIn(ecosystem: Pick<Ecosystem, 'classify' | 'steering'>): (path: string) => boolean {
  const steers = steeringMatcher(ecosystem.steering);
  return (path) => {
    const kind = ecosystem.classify(path);
    return kind !== 'test' && !steers(path) && (kind === 'source' || !PROSE.test(path));
  };
}
