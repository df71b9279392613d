import type { EnvironmentSpec } from '@assay/protocol';
import { ecosystemOf } from '../ecosystems/index.ts';

/** Writes `tests/test.sh`. It writes a reward of 0 and locks the place before anything of the submission is touched. */
export function testScript({ ecosystem }: EnvironmentSpec): string {
  return [
    '#!/bin/sh',
    'set -eu',
    'chmod 700 /logs/verifier',
    'printf \'{"reward": 0}\\n\' > /logs/verifier/reward.json',
    ecosystemOf(ecosystem).image.grader.command,
    // Nothing of the tests is alive by now. The process that collects the logs may not be root.
    'chmod 755 /logs/verifier',
    '',
  ].join('\n');
}
