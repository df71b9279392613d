import type { Mount } from '@assay/sandbox';
import type { AgentContext } from '../../agents/agent.ts';
import { packChange } from '@assay/files/pack-change';
import { prepareLaunch } from '../../verify/verify-submission.ts';
import type { OpenRepositoryTask } from '../../verify/open-repository-task.ts';

/**
 * The seal `separate-verifier` off: hidden tests are unpacked over what the agent left and run in the agent's own
 * sandbox and process tree, after the pause that a grader needs to get going.
 */
export async function gradingContinuation({
  task,
  environment,
  hidden,
}: OpenRepositoryTask): Promise<GradingContinuation> {
  const { launch, nonce } = prepareLaunch(task, environment);
  const tests = (await packChange(hidden)).toString('base64');
  return {
    nonce,
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
  };
}

export interface GradingContinuation {
  continuation: NonNullable<AgentContext['continuation']>;
  mounts: Mount[];
  nonce: string;
}
