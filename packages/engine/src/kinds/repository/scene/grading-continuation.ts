import type { Mount } from '@assay/sandbox';
import { packChange } from '@assay/files/pack-change';
import { prepareLaunch } from '../../../verify/verifier-box.ts';
import { verdictOfRun } from '../../../verify/verify-submission.ts';
import type { OpenRepositoryTask } from '../../../verify/open-repository-task.ts';
import type { GradingContinuation } from '../../scene.ts';

const GRADE = `sleep 2
git -c safe.directory=/workspace status </dev/null >/dev/null 2>&1
read -r tests
printf %s "$tests" | base64 -d | tar -xf - -C /workspace
exec "$@"`;

/**
 * Takes the seal `separate-verifier` off: hidden tests are unpacked over what the agent left and run in the agent's own
 * sandbox and process tree, after the pause that a grader needs to get going and a look at what has changed.
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
      argv: ['sh', '-c', GRADE, 'sh', ...launch.argv],
      env: launch.env,
      stdin: `${tests}\n${launch.stdin}`,
    },
    verdictOf: ({ submission, sandbox, exec, provider, unsealed }) =>
      verdictOfRun({ ...repository, provider, unsealed }, { submission, sandbox, exec, nonce }),
  };
}
