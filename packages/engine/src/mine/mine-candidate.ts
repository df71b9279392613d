import { keepingModel } from '@assay/lanes/models/keeping-model';
import type { Examination, ModelExchange, RejectionReason } from '@assay/protocol';
import { read } from './1-read.ts';
import { build, type Built } from './2-build.ts';
import { prove } from './3-prove.ts';
import { splitTests } from './4-split.ts';
import { stateProblem } from './5-state.ts';
import { write } from './6-write.ts';
import { behaviourOf } from './behaviour-of.ts';
import { rejectionOf, type Candidate, type CandidateResult } from './candidate.ts';
import { disclose, requireOutside } from './disclose.ts';
import type { MineContext } from './mine-context.ts';
import { StageClock } from './stage-clock.ts';
import { writeCompared } from './write-compared.ts';
import { withTests } from './write-regression-test.ts';

/**
 * Takes one candidate, given as what its pipeline found, through the stages: admitted, with its bundle at `bundle`, or rejected by a stage. Throws
 * anything that is not the candidate's fault, and the signal's reason.
 */
export async function mineCandidate(data: unknown, bundle: string, outer: MineContext): Promise<CandidateResult> {
  const clock = new StageClock();
  const exchanges: ModelExchange[] = [];
  const model = outer.model && keepingModel(outer.model, (exchange) => exchanges.push(exchange));
  const context: MineContext = { ...outer, model, timed: (stage, work) => clock.run(stage, work) };
  const examined = (evidence: readonly string[]): Examination => ({
    ...clock.examination(evidence),
    ...(exchanges.length > 0 && { exchanges }),
  });
  try {
    const result = await throughStages(data, { bundle, clock }, context);
    return { ...result, examination: examined([]) };
  } catch (error) {
    context.signal?.throwIfAborted();
    const rejection = rejectionOf(error);
    if (!rejection) {
      outer.failed?.(examined([]));
      throw error;
    }
    const { reason, detail, survivors, evidence } = rejection;
    const examination = examined(evidence);
    return { outcome: 'rejected', reason, detail, ...(survivors && { survivors }), examination };
  }
}

/** The candidate with all that its pipeline makes by running T0. */
async function finished(
  candidate: Candidate,
  { data, built }: { data: unknown; built: Built },
  context: MineContext,
): Promise<Candidate> {
  const { pipeline } = context;
  if (!pipeline.finish) return candidate;
  return pipeline.finish(candidate, data, { ...context, ...built, environment: await built.environment() });
}

async function throughStages(
  data: unknown,
  { bundle, clock }: { bundle: string; clock: StageClock },
  context: MineContext,
): Promise<CandidateResult> {
  const asFound = await clock.run('read', () => read(data, context));
  const { compared } = asFound;
  if (!compared) return byTests(asFound, { data, bundle, clock }, context);
  const compare = (untested: string): Promise<CandidateResult> =>
    writeCompared({ candidate: { ...asFound, compared }, untested, bundle, clock }, context);
  if (compared.always) return compare('nobody looked for tests');
  try {
    return await byTests(asFound, { data, bundle, clock }, context);
  } catch (error) {
    const rejection = rejectionOf(error);
    if (!rejection || !UNTESTED.has(rejection.reason)) throw error;
    return compare(`${rejection.reason}: ${rejection.detail}`.split('\n', 1)[0] ?? '');
  }
}

/** Reasons that say that no test tells the change, and nothing against it. */
const UNTESTED = new Set<RejectionReason>([
  'no_tests',
  'no_runner',
  'environment_failed',
  'suite_broken',
  'not_fixed',
  'not_rebuilt',
  'flaky',
]);

/** The stages of a candidate whose tests tell it from its absence. */
async function byTests(
  asFound: Candidate,
  { data, bundle, clock }: { data: unknown; bundle: string; clock: StageClock },
  context: MineContext,
): Promise<CandidateResult> {
  const built = await clock.run('build', () => build(asFound, context));
  const candidate = await clock.run('tests', async () =>
    withTests(await finished(asFound, { data, built }, context), built, context),
  );
  const proven = await clock.run('prove', () => prove(candidate, built, context));
  const split = await clock.run('split', () => splitTests(candidate, { built, proven }, context));
  const { statement, relaxed } = await clock.run('state', async () => {
    const told = await stateProblem(candidate, built, context, (isClean) =>
      behaviourOf(candidate, { built, proven, isClean }, context),
    );
    return disclose(candidate, { built, told, split }, context);
  });
  const taken =
    relaxed.length === 0
      ? split
      : await clock.run('split', () => splitTests(candidate, { built, proven, relaxed }, context));
  requireOutside(taken, relaxed);
  return clock.run('write', () =>
    write({ candidate, built, statement, proven, split: taken, relaxed, bundle }, context),
  );
}
