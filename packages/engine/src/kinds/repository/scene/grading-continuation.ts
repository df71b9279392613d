import type { Mount } from '@assay/sandbox';
import { packChange } from '@assay/files/pack-change';
import { prepareLaunch } from '../../../verify/verifier-box.ts';
import { verdictOfRun } from '../../../verify/verify-submission.ts';
import type { OpenRepositoryTask } from '../../../verify/open-repository-task.ts';
import type { GradingContinuation } from '../../scene.ts';

/**
 * Takes the seal `separate-verifier` off: hidden tests are unpacked over what the agent left and run in the agent's own
 * sandbox and process tree, after the pause that a grader needs to get going.
 */
export async function gradingContinuation(
  repository: OpenRepositoryTask,
): Promise<GradingContinuation & { mounts: Mount[] }> {
  const { task, environment, hidden } = repository;
  const { launch, nonce } = prepareLaunch(task.meta.test, environment);
  const tests = (await packChange(hidden)).toString('base64');
  return {
    mounts: launch.mounts,
    continuation: {
      argv: [
        'sh',
        '-c',
        'sleep 2; read -r tests; printf %s "$tests" | base64 -d | tar -xf - -C /workspace; exec "$@"',
        'sh',
        ...launch.argv,
      ],
      env: launch.env,
      stdin: `${tests}\n${launch.stdin}`,
    },
    verdictOf: ({ submission, sandbox, exec, provider, unsealed }) =>
      verdictOfRun({ ...repository, provider, unsealed }, { submission, sandbox, exec, nonce }),
  };
}
