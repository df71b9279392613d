import { fileURLToPath } from 'node:url';
import type { Launch, LaunchRequest } from '../../ecosystem.ts';
import { RUNNER_IN_SANDBOX, type RunnerPlace } from '../../runner-place.ts';

const DIRECTORY = fileURLToPath(new URL('.', import.meta.url));

/**
 * Returns how to run the tests of a JavaScript repository. The runner package is the repository's own, from its
 * node_modules; scripts of package.json are ignored.
 */
export function launchNode(
  { command, environment, nonce, observations }: LaunchRequest,
  place: RunnerPlace = RUNNER_IN_SANDBOX,
): Launch {
  const { runner, files, args } = command;
  return {
    argv: [environment.env['ASSAY_NODE'] ?? 'node', `${place.runner ?? DIRECTORY}/launch.mjs`],
    // Set even though empty: the launcher starts before it could clear what the environment says.
    env: {
      CI: '1',
      NO_COLOR: '1',
      TZ: 'UTC',
      NODE_OPTIONS: '',
      NODE_PATH: '',
      NODE_EXTRA_CA_CERTS: '',
      NODE_V8_COVERAGE: '',
    },
    stdin: `${JSON.stringify({ nonce, signed: true, runner, root: place.root, files, args, observations })}\n`,
    mounts: place.runner === null ? [] : [{ kind: 'read-only', source: DIRECTORY, target: place.runner }],
  };
}
