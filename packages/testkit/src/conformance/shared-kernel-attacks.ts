import assert from 'node:assert/strict';
import type { Sandbox, SandboxOptions, SandboxProvider } from '@assay/sandbox';
import { assertExit, eventually, withSandbox } from './conformance-case.ts';

/** Numbers of the system calls inotify_init1, inotify_add_watch and rt_sigqueueinfo. */
const NUMBERS: Partial<Record<NodeJS.Architecture, string>> = { x64: '294, 254, 129', arm64: '26, 27, 138' };

export const PRELUDE = `
use strict; use POSIX; $| = 1;
my ($INOTIFY_INIT, $INOTIFY_WATCH, $QUEUE_SIGNAL) = (${NUMBERS[process.arch] ?? ''});
sub opened { open(my $file, '<', $_[0]) or die "$_[0]: $!"; return $file }
sub held { open(my $mark, '>', 'held') or die; close $mark; select(undef, undef, undef, 0.02) until -e 'stop' }
`;

/** One process of a first sandbox holds something, and another process looks whether it can tell. */
export interface Attack {
  /** Perl. Calls \`held\` once it holds it. */
  hold: string;
  /** Perl that prints `taken` or `free`. */
  look: string;
}

export const STRUCT = `'s s x4 q q i x4'`;

export function locks(path: string): Record<string, Attack> {
  const lock = (set: number, get: number): Attack => ({
    hold: `my $file = opened('${path}'); my $lock = pack(${STRUCT}, 0, 0, 0, 0, 0); fcntl($file, ${set}, $lock) or die "lock: $!"; held();`,
    look: `my $file = opened('${path}'); my $lock = pack(${STRUCT}, 1, 0, 0, 0, 0); fcntl($file, ${get}, $lock) or die "look: $!";
      print((unpack 's', $lock)[0] == 2 ? 'free' : 'taken');`,
  });
  return {
    'flock(2)': {
      hold: `my $file = opened('${path}'); flock($file, 2) or die; held();`,
      look: `my $file = opened('${path}'); print(flock($file, 2 | 4) ? 'free' : 'taken');`,
    },
    'locks of processes': lock(6, 5),
    'locks of open files': lock(37, 36),
  };
}

export const INSTANCES: Attack = {
  hold: `my @taken; for (1 .. 900) { my $one = syscall($INOTIFY_INIT, 0); last if $one < 0; push @taken, $one } held();`,
  look: `print(syscall($INOTIFY_INIT, 0) < 0 ? 'taken' : 'free');`,
};

/** The kernel counts these for each user. The first process takes all that there is. */
export const COUNTED: Record<string, Attack> = {
  'inotify instances': INSTANCES,
  'queued signals': {
    hold: `POSIX::sigprocmask(SIG_BLOCK, POSIX::SigSet->new(34)); my $info = pack('i3 x116', 34, 0, -1);
      my $refused = 0; for (1 .. 500000) {
        if (syscall($QUEUE_SIGNAL, $$ + 0, 34, $info) == 0) { $refused = 0; next }
        # The kernel says the same where it lacks memory for a moment.
        last if ++$refused == 50; select(undef, undef, undef, 0.002);
      } held();`,
    look: `POSIX::sigprocmask(SIG_BLOCK, POSIX::SigSet->new(34)); my $info = pack('i3 x116', 34, 0, -1);
      print(syscall($QUEUE_SIGNAL, $$ + 0, 34, $info) < 0 ? 'taken' : 'free');`,
  },
  'buffers of pipes': {
    hold: `my @ends; for (1 .. 80) { pipe my $out, my $in or last; push @ends, $out, $in; fcntl($in, 1031, 1 << 20) } held();`,
    look: `pipe my $out, my $in or die; print(fcntl($in, 1032, 0) < 65536 ? 'taken' : 'free');`,
  },
};

export async function perl(sandbox: Sandbox, script: string): Promise<string> {
  const result = await sandbox.exec('', { argv: ['/usr/bin/perl', '-e', PRELUDE + script], timeout: 60_000 });
  assertExit(result, 0);
  return result.stdout;
}

/** Waits for the mark of a holding process. Rejects when that ends first. */
export async function untilHeld(sandbox: Sandbox, holding: Promise<string>): Promise<void> {
  await Promise.race([
    eventually('it is held', async () => (await sandbox.exec('test -e held')).exitCode === 0),
    holding.then(() => assert.fail('it holds nothing any longer')),
  ]);
}

/** Looks from another sandbox, and, as the control, from another process of the same one. */
export async function attack(
  provider: SandboxProvider,
  options: SandboxOptions,
  { hold, look }: Attack,
): Promise<{ neighbour: string; same: string }> {
  return withSandbox(provider, options, (first) =>
    withSandbox(provider, options, async (second) => {
      const holding = perl(first, hold);
      holding.catch(() => undefined);
      await untilHeld(first, holding);
      const same = await perl(first, look);
      const neighbour = await perl(second, look);
      await first.writeFile('stop', '');
      await holding;
      return { neighbour, same };
    }),
  );
}

/** Perl that prints whether it can trace process 1, whose end tells the exit code of a command. */
export const TRACE_PROCESS_1 = `print(syscall(${process.arch === 'arm64' ? 117 : 101}, 0x4206, 1, 0, 0) == 0 ? 'traced' : 'not traced');`;
