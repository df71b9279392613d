import type { EnvironmentSpec } from '@assay/protocol';
import { ecosystemOf } from '../ecosystems/index.ts';

/** `tests/test.sh`: the place of the reward is closed and holds a 0 before anything of the submission is touched. */
export function testScript({ ecosystem }: EnvironmentSpec): string {
  return [
    '#!/bin/sh',
    'set -eu',
    'chmod 700 /logs/verifier',
    'printf \'{"reward": 0}\\n\' > /logs/verifier/reward.json',
    ecosystemOf(ecosystem).image.grader.command,
    // By now nothing of the tests is alive; whoever collects the logs may not be root.
    'chmod 755 /logs/verifier',
    '',
  ].join('\n');
}
