import { read } from './1-read.ts';
import { build } from './2-build.ts';
import { prove } from './3-prove.ts';
import { splitTests } from './4-split.ts';
import { stateProblem } from './5-state.ts';
import { write } from './6-write.ts';
import { disclose, requireOutside } from './disclose.ts';
import { rejectionOf, type CandidateResult } from './candidate.ts';
import type { MineContext } from './mine-context.ts';
import { withTests } from './write-regression-test.ts';

/**
 * Takes one candidate, given as what its pipeline found, through the stages: admitted, with its bundle at `bundle`, or rejected by a stage. Throws
 * anything that is not the candidate's fault, and the signal's reason.
 */
export async function mineCandidate(data: unknown, bundle: string, context: MineContext): Promise<CandidateResult> {
  try {
    const asFound = await read(data, context);
    const built = await build(asFound, context);
    const candidate = await withTests(asFound, built, context);
    const proven = await prove(candidate, built, context);
    const split = await splitTests(candidate, { built, proven }, context);
    const told = await stateProblem(candidate, built, context);
    const { statement, relaxed } = await disclose(candidate, { built, told, split }, context);
    const taken = relaxed.length === 0 ? split : await splitTests(candidate, { built, proven, relaxed }, context);
    requireOutside(taken, relaxed);
    return await write({ candidate, built, statement, proven, split: taken, relaxed, bundle }, context);
  } catch (error) {
    context.signal?.throwIfAborted();
    const rejection = rejectionOf(error);
    if (!rejection) throw error;
    const { reason, detail, survivors } = rejection;
    return { outcome: 'rejected', reason, detail, ...(survivors && { survivors }) };
  }
}
