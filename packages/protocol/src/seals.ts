/**
 * Every enforced defence, by name. `--unseal NAME` takes exactly one off: the positive control of the cheats that it
 * stops. A verdict reached with a seal off has trust `unsealed`.
 */
export const SEALS = {
  instruction: 'the instruction carries the symptom only: no links, ids, hashes, versions, names of tests',
  history: 'the repository is rebuilt as one root commit; no later object, ref, pack or log exists',
  network: 'the sandbox has the loopback interface and nothing else',
  environment: 'dependencies as of T0, without the target project, without caches and stale build output',
  'oracle-outside': 'reference solution and hidden tests are never in the sandbox of the agent',
  'clean-env': 'a clean environment, HOME, /tmp and neutral names; nothing of the host or of another trial',
  'host-files': 'no file of the host but the masked, read-only toolchain',
  'separate-verifier': 'grading happens in a new sandbox after everything of the agent is dead',
  'reward-outside': 'the reward is computed outside; a file that the agent wrote means nothing',
  manifest: 'only regular files, added, changed or deleted against T0, cross over; build output and git data do not',
  steering: 'files that steer the verifier are put back as they were at T0',
  'hidden-tests': 'hidden tests are placed by content over whatever the agent left',
  'result-channel': 'results come as records with a nonce, one for every expected id, over a channel apart from stdout',
  'split-oracle': 'what a split test expects is compared in a sandbox that never loads the submission',
  limits: 'memory, processes, disk, output and time are bounded from outside',
  privileges: 'no capabilities, no new privileges, own namespaces, filtered system calls',
  terminal: 'control characters in foreign text are made harmless before they are shown',
} as const;

export type SealName = keyof typeof SEALS;
export const SEAL_NAMES = Object.keys(SEALS) as SealName[];
