import { AssayError } from '@assay/protocol';
import { withoutCovered } from '../agents/cli/cover-steering.ts';
import { collectChange } from '../files/tree-manifest.ts';
import type { Workplace } from './1-prepare.ts';
import { collectFollowingLinks } from './scene/collect-following-links.ts';
import type { Submission } from './submission.ts';
import type { TrialRequest } from './trial-request.ts';

/** Stage 3: what crosses over, as a manifest against T0; the agent's sandbox is gone afterwards. No link is followed and no git is run. */
export async function collectSubmission({ task, unsealed }: TrialRequest, { sandbox, covered }: Workplace): Promise<Submission> {
  const view = sandbox.hostView?.('/workspace');
  if (!view) throw new AssayError('IMPOSSIBLE', { detail: 'a provider without hostView was chosen for a repository task' });
  try {
    const collected = unsealed.has('manifest') ? await collectFollowingLinks(view, task.t0) : await collectChange(view, task.t0, { skippedAtT0: task.skippedAtT0 });
    return { change: withoutCovered(collected.change, covered), dropped: collected.dropped };
  } catch (error) {
    if (!AssayError.is(error) || error.kind !== 'agent') throw error;
    return { change: { files: [], deleted: [] }, dropped: [], refused: error.message };
  } finally {
    // With the seal `separate-verifier` off, grading reads on in this sandbox; it is destroyed with the workplace.
    if (!unsealed.has('separate-verifier')) await sandbox.destroy();
  }
}
