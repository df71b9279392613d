import { fileURLToPath } from 'node:url';
import type { Launch, LaunchRequest } from '../../ecosystem.ts';
import { RUNNER_IN_SANDBOX, type RunnerPlace } from '../../runner-place.ts';

const DIRECTORY = fileURLToPath(new URL('.', import.meta.url));

/**
 * Returns how to run pytest over the repository. The interpreter starts bare (`-I -S`): no variables, no user site, no
 * sitecustomize. The runner itself adds the environment's site-packages.
 */
export function launchPytest(
  { command, environment, nonce, observations, only }: LaunchRequest,
  place: RunnerPlace = RUNNER_IN_SANDBOX,
): Launch {
  const python = environment.env['ASSAY_PYTHON'] ?? 'python3';
  const { files, args } = command;
  const request = { nonce, signed: true, root: place.root, files, args, observations, only, signals: true };
  return {
    argv: [python, '-I', '-S', `${place.runner ?? DIRECTORY}/launch.py`],
    env: { TZ: 'UTC', NO_COLOR: '1', PY_COLORS: '0', PYTHONDONTWRITEBYTECODE: '1' },
    stdin: `${JSON.stringify(request)}\n`,
    mounts: place.runner === null ? [] : [{ kind: 'read-only', source: DIRECTORY, target: place.runner }],
  };
}
