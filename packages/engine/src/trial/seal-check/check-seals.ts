import { existsSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { AssayError, harmlessText, type SealCheckRecord, type SealName } from '@assay/protocol';
import type { Sandbox, SandboxProvider } from '@assay/sandbox';
import { SEAL_CHECKS } from './checks.ts';
import { parseFacts } from './facts.ts';
import { lookAround, lookAroundBefore, type FirstCommand, type Look, type WaitingProcess } from './first-command.ts';

/** Number of the system call `unshare`. */
const UNSHARE: Partial<Record<NodeJS.Architecture, number>> = { x64: 272, arm64: 97 };
/**
 * Metadata services, gateways as virtual machines and containers have them, and addresses of documentation that stand
 * for the world.
 */
const ADDRESSES = [
  '192.0.2.1',
  '198.51.100.1',
  '169.254.169.254',
  '100.100.100.200',
  '172.17.0.1',
  '10.0.2.2',
  '10.0.0.1',
  '192.168.65.2',
  '192.168.0.1',
  '2001:db8::1',
  'fd00:ec2::254',
];
const MAX_HOST_ADDRESSES = 16;

export interface SealCheckOptions {
  provider: Pick<SandboxProvider, 'isolation' | 'name' | 'interactive'>;
  /** Seals that are off: what they would hold is not looked at. */
  unsealed: ReadonlySet<SealName>;
  lanePorts: readonly number[];
  /** The directory that the sandbox has as its system in place of the host's: what lies in it may be there. */
  root?: string;
  /** Default: of this process. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** The command that comes next, for which the process that looks may wait. */
  first?: FirstCommand;
  signal?: AbortSignal;
}

export interface CheckedSandbox {
  record: SealCheckRecord;
  /** Waits to become `first`, so that a sandbox is started once for both. Null where that cannot be. */
  waiting: WaitingProcess | null;
}

/**
 * Looks around inside a sandbox in which nothing foreign has run yet, as the user that the agent will be. Throws
 * `SEAL_BROKEN` when anything is there or answers that should not, or when this could not be found out;
 * `COMMAND_NOT_FOUND` when the machine has no perl.
 */
export async function checkSeals(sandbox: Sandbox, options: SealCheckOptions): Promise<CheckedSandbox> {
  const { provider, unsealed, first, signal } = options;
  const startedAt = performance.now();
  const words = [
    String(UNSHARE[process.arch] ?? 0),
    ...(unsealed.has('network') ? [] : [...ADDRESSES, ...hostAddresses()]).map(toArgument),
  ];
  const look =
    first && provider.interactive
      ? await lookAroundBefore(first, sandbox, words, signal)
      : await lookAround(sandbox, words, signal);
  try {
    const checks = judgeLook(look, options);
    return { record: { ...checks, durationMs: Math.round(performance.now() - startedAt) }, waiting: look.waiting };
  } catch (error) {
    await look.waiting?.close();
    throw error;
  }
}

function judgeLook(
  { stdout, stderr, exitCode, ready }: Look,
  { provider, unsealed, lanePorts, root, environment = process.env }: SealCheckOptions,
): Omit<SealCheckRecord, 'durationMs'> {
  if (exitCode === 127)
    throw new AssayError('COMMAND_NOT_FOUND', {
      command: '/usr/bin/perl',
      hint: 'Install it: apt-get install perl-base.',
    });
  const facts = parseFacts(stdout);
  const cutShort = (): AssayError =>
    broken(
      `the check of the sandbox did not come to its end (exit ${exitCode ?? 'none'}) ` +
        (stderr.trim().split('\n')[0] ?? ''),
    );
  if (facts === null) throw cutShort();
  const expectation = {
    lanePorts,
    ownKernel: provider.isolation === 'gvisor',
    environment,
    hostKernel: readFileSync('/proc/version', 'utf8').trim().replace(/\s+/g, ' '),
    inOwnTree: (path: string) => root !== undefined && existsSync(join(root, path)),
  };
  const wanted = SEAL_CHECKS.filter(({ seal }) => !unsealed.has(seal));
  const holes = wanted
    .map(({ name, find }) => ({ name, found: find(facts, expectation) }))
    .filter(({ found }) => found !== null);
  if (holes.length > 0) throw broken(holes.map(({ name, found }) => `${name}: ${found}`).join('; '));
  if (!ready) throw cutShort();
  const namesOf = (checks: typeof SEAL_CHECKS): string[] => checks.map(({ name }) => name);
  return { passed: namesOf(wanted), skipped: namesOf(SEAL_CHECKS.filter((check) => !wanted.includes(check))) };
}

const broken = (detail: string): AssayError =>
  new AssayError('SEAL_BROKEN', { detail: harmlessText(detail).slice(0, 2000).trim() });

/** Under which the host can be reached, loopback aside. */
function hostAddresses(): string[] {
  const entries = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return entries
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80'))
    .slice(0, MAX_HOST_ADDRESSES)
    .map(({ address }) => address);
}

/** IPv6 as 32 hexadecimal digits. */
function toArgument(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const middle: string[] = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...middle, ...right].map((group) => group.padStart(4, '0')).join('');
}
