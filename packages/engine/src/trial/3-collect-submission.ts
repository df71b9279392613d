import { AssayError, type CanaryTouch } from '@assay/protocol';
import { withoutCovered } from '../agents/cli/cover-steering.ts';
import { collectChange } from '@assay/files/tree-manifest';
import { findMarks } from '../canaries/mark.ts';
import type { PlantedCanaries } from '../canaries/plant-canaries.ts';
import type { ChangeSet } from '@assay/files/change-set';
import type { Workplace } from './1-prepare.ts';
import { collectFollowingLinks } from './collect-following-links.ts';
import type { Submission, TrialRequest } from './trial-request.ts';

/**
 * Stage 3: what crosses over, as a manifest against T0; the agent's sandbox is gone afterwards. No link is followed and
 * no git is run.
 */
export async function collectSubmission(
  { task, unsealed }: TrialRequest,
  { sandbox, covered, canaries }: Workplace,
): Promise<Submission> {
  const view = sandbox.hostView?.('/workspace');
  if (!view) throw new AssayError('IMPOSSIBLE', { detail: 'a provider without hostView was chosen for a trial' });
  const touched = canaries.touched();
  try {
    const collected = unsealed.has('manifest')
      ? await collectFollowingLinks(view, task.t0)
      : await collectChange(view, task.t0, { skippedAtT0: task.skippedAtT0 });
    const change = withoutCovered(collected.change, covered);
    return { change, dropped: collected.dropped, ...recordCanaries(canaries, touched, change) };
  } catch (error) {
    if (!AssayError.is(error) || error.kind !== 'agent') throw error;
    const change = { files: [], deleted: [] };
    return { change, dropped: [], refused: error.message, ...recordCanaries(canaries, touched, change) };
  } finally {
    // With the seal `separate-verifier` off, grading reads on in this sandbox; it is destroyed with the workplace.
    if (!unsealed.has('separate-verifier')) await sandbox.destroy();
  }
}

function recordCanaries(
  { canaries: planted }: PlantedCanaries,
  touched: CanaryTouch[],
  change: ChangeSet,
): Pick<Submission, 'canaries'> {
  return planted.length === 0 ? {} : { canaries: { version: 1, planted, touched, marked: findMarks(change, planted) } };
}
