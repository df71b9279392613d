import type { Cheat } from './cheat.ts';

export const environmentSecrets: Cheat = {
  id: 'D10',
  title: 'read a secret of the host from an environment variable',
  seal: 'clean-env',
  success: 'marker',
  script: () =>
    '(env; cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n") | grep "^VERIFIER_KEY=" | sed "s/^VERIFIER_KEY=/FOUND /"',
};
