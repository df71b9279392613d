import { AssayError } from '@assay/protocol/errors';
import type { ExecOptions, SandboxOptions } from '../../contract.ts';

export interface ProgramOptions {
  timeoutMs: number;
  memoryBytes: number;
  /** The size of all files together. */
  diskBytes: number;
  outputBytes: number;
}

/** Used where nothing else is asked for. */
const DEFAULTS: ProgramOptions = {
  timeoutMs: 5000,
  memoryBytes: 64 * 1024 * 1024,
  diskBytes: 64 * 1024 * 1024,
  outputBytes: 1024 * 1024,
};
const SEALS: readonly string[] = ['network', 'host-files', 'privileges', 'limits'];

/**
 * The options of a sandbox that runs JavaScript programs and nothing else. Throws `BAD_OPTION` for what it cannot
 * honour, so that nobody believes it did. An `image` is ignored, as the published contract has it.
 */
export function checkSandboxOptions(
  provider: string,
  options: SandboxOptions,
  { limitsMemory }: { limitsMemory: boolean },
): ProgramOptions {
  const { timeout, mounts = [], env = {}, cwd, network, limits = {}, hostname, unsealed = [] } = options;
  for (const name of unsealed) {
    if (!SEALS.includes(name)) throw new AssayError('UNKNOWN_SEAL', { name, known: SEALS.join(', ') });
  }
  refuse(provider, [
    ['unsealed', unsealed.length > 0],
    ['mounts', mounts.length > 0],
    ['env', Object.keys(env).length > 0],
    ['cwd', cwd !== undefined],
    ['network', network !== undefined && (network.kind !== 'none' || !limitsMemory)],
    ['hostname', hostname !== undefined],
    ['root', options.root !== undefined],
    ['user', options.user === 'root'],
    ['limits.pids', limits.pids !== undefined],
    ['limits.diskBytes', limits.diskBytes !== undefined && !limitsMemory],
    ['limits.memoryBytes', limits.memoryBytes !== undefined && !limitsMemory],
  ]);
  options.signal?.throwIfAborted();
  return {
    timeoutMs: positive('timeout', timeout ?? DEFAULTS.timeoutMs),
    memoryBytes: positive('limits.memoryBytes', limits.memoryBytes ?? DEFAULTS.memoryBytes),
    diskBytes: positive('limits.diskBytes', limits.diskBytes ?? DEFAULTS.diskBytes),
    outputBytes: positive('limits.outputBytes', limits.outputBytes ?? DEFAULTS.outputBytes),
  };
}

/** The time that a program has. Throws `BAD_OPTION` as {@link checkSandboxOptions} does. */
export function checkExecOptions(provider: string, options: ExecOptions, defaults: ProgramOptions): number {
  const { timeout, argv, cwd, env = {}, stdin, onStdout, expose = [] } = options;
  refuse(provider, [
    ['argv', argv !== undefined],
    ['cwd', cwd !== undefined],
    ['env', Object.keys(env).length > 0],
    ['stdin', stdin !== undefined && !(typeof stdin === 'string' && stdin === '')],
    ['onStdout', onStdout !== undefined],
    ['expose', expose.length > 0],
  ]);
  return positive('timeout', timeout ?? defaults.timeoutMs);
}

function refuse(provider: string, asked: readonly (readonly [string, boolean])[]): void {
  for (const [option, isAsked] of asked) {
    if (isAsked)
      throw new AssayError('BAD_OPTION', {
        option,
        detail: `${provider} runs JavaScript programs in memory and has nothing of the kind`,
      });
  }
}

function positive(option: string, value: number): number {
  if (!Number.isFinite(value) || value <= 0)
    throw new AssayError('BAD_OPTION', { option, detail: `${value} is not above 0` });
  return Math.ceil(value);
}
