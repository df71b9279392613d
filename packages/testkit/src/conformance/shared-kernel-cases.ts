import assert from 'node:assert/strict';
import { chownSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sandboxOwner, type SandboxProvider } from '@assay/sandbox';
import {
  eventually,
  NODE,
  NODE_MOUNT,
  withHostDirectory,
  withSandbox,
  type ConformanceCase,
} from './conformance-case.ts';
import { attack, COUNTED, locks, perl, PRELUDE, STRUCT, untilHeld } from './shared-kernel-attacks.ts';

/** Writes into whatever process 1 has open, and traces it. The control traces a process of its own. */
const TAKE_OVER_PROCESS_1 = `
my $traced = sub { syscall(${process.arch === 'arm64' ? 117 : 101}, 0x4206, $_[0] + 0, 0, 0) == 0 ? 'traced' : 'not traced' };
my $child = fork // die; if (!$child) { sleep 100; exit } print 'another: ', $traced->($child), ', process 1: ', $traced->(1); kill 9, $child;
my $process = syscall(434, 1, 0); my $one = pack 'Q', 1;
for my $number (3 .. 20) { my $taken = syscall(438, $process, $number, 0); syscall(${process.arch === 'arm64' ? 64 : 1}, $taken, $one, 8) if $taken >= 0 }
for my $number (3 .. 20) { open(my $file, '>', "/proc/1/fd/$number") or next; syswrite $file, $one }
sleep 1; exit 5;
`;

const MIB = 1024 * 1024;

/** Sends datagrams to itself on sockets that it never reads, up to 100 MiB, and prints how many bytes it then finds. */
const FILL_SOCKETS = `
my (@sockets, $sent, $held); my $text = 'x' x 60000;
for (1 .. 600) {
  socket(my $one, 2, 2, 0) or last; bind($one, pack('S n C4 x8', 2, 0, 127, 0, 0, 1)) or last; my $self = getsockname $one;
  for (1 .. 3) { send($one, $text, 0x40, $self) } push @sockets, $one;
}
for my $one (@sockets) { while (defined recv($one, my $piece, 65536, 0x40)) { last if $piece eq ''; $held += length $piece } }
print $held + 0;
`;

/** Each exec has a kernel of its own (gVisor), which has no locks, watches and counts in common with another. */
const hasOwnKernel = (provider: SandboxProvider): boolean => provider.isolation === 'gvisor';

async function withLayer(use: (directory: string) => Promise<void>): Promise<void> {
  await withHostDirectory(async (directory) => {
    writeFileSync(join(directory, 'file'), 'x');
    if (sandboxOwner) chownSync(join(directory, 'file'), sandboxOwner.uid, sandboxOwner.gid);
    await use(directory);
  });
}

const LOCKED: Record<string, string> = {
  'the toolchain': '/usr/bin/b2sum',
  'a mounted file': NODE,
  'a mounted directory': '/opt/shared/file',
  'a layer': '/data/file',
};

export const SHARED_KERNEL_CASES: ConformanceCase[] = [
  ...Object.entries(LOCKED).map(([where, path]): ConformanceCase => ({
    name: `locks on ${where} are not seen by another sandbox`,
    run: async (provider) =>
      hasOwnKernel(provider)
        ? undefined
        : withLayer(async (directory) => {
            const options = {
              mounts: [
                NODE_MOUNT,
                { kind: 'read-only' as const, source: directory, target: '/opt/shared' },
                { kind: 'layers' as const, sources: [directory], target: '/data' },
              ],
            };
            for (const [name, each] of Object.entries(locks(path)))
              assert.deepEqual(
                { name, ...(await attack(provider, options, each)) },
                { name, neighbour: 'free', same: 'taken' },
              );
          }),
  })),
  {
    name: 'a watch on the toolchain sees neither another sandbox nor the host',
    run: async (provider) =>
      hasOwnKernel(provider)
        ? undefined
        : withSandbox(provider, {}, (first) =>
            withSandbox(provider, {}, async (second) => {
              const path = '/usr/bin/b2sum';
              const watching = perl(
                first,
                `my $watch = syscall($INOTIFY_INIT, 04000); my $path = '${path}'; syscall($INOTIFY_WATCH, $watch, $path, 0x21) >= 0 or die "watch: $!";
            open my $events, '<&=', $watch; held(); print 'seen once' if -e 'control' && sysread($events, my $event, 4096);
            unlink 'held', 'stop'; held(); print ', seen again' if sysread($events, my $event, 4096);`,
              );
              watching.catch(() => undefined);
              await untilHeld(first, watching);
              await first.exec(`: > control; cat ${path} > /dev/null`);
              await first.writeFile('stop', '');
              await eventually('it has looked', async () => (await first.exec('test -e stop')).exitCode !== 0);
              await untilHeld(first, watching);
              await second.exec(`cat ${path} > /dev/null`);
              readFileSync(path);
              await first.writeFile('stop', '');
              assert.equal(await watching, 'seen once');
            }),
          ),
  },
  {
    name: 'reading does not change the time of access that another sandbox sees',
    run: (provider) =>
      withLayer((directory) =>
        withSandbox(provider, { mounts: [{ kind: 'read-only', source: directory, target: '/opt/shared' }] }, (first) =>
          withSandbox(
            provider,
            { mounts: [{ kind: 'read-only', source: directory, target: '/opt/shared' }] },
            async (second) => {
              const look = 'stat -c %x /opt/shared/file';
              const before = (await second.exec(look)).stdout;
              await first.exec('sleep 0.05; cat /opt/shared/file');
              assert.equal((await second.exec(look)).stdout, before);
            },
          ),
        ),
      ),
  },
  {
    name: 'the list of locks shows none of another sandbox',
    run: async (provider) =>
      hasOwnKernel(provider)
        ? undefined
        : withSandbox(provider, {}, (first) =>
            withSandbox(provider, {}, async (second) => {
              const holding = perl(
                first,
                `open my $file, '+>', 'locked'; my $lock = pack(${STRUCT}, 1, 0, 4242, 17, 0); fcntl($file, 37, $lock) or die "lock: $!"; held();`,
              );
              holding.catch(() => undefined);
              await untilHeld(first, holding);
              if (!hasOwnKernel(provider))
                assert.match(readFileSync('/proc/locks', 'utf8'), / 4242 4258$/m, 'control: the host sees it');
              assert.doesNotMatch((await second.exec('cat /proc/locks 2>/dev/null')).stdout, /4242/);
              await first.writeFile('stop', '');
              await holding;
            }),
          ),
  },
  ...Object.entries(COUNTED).map(([name, each]): ConformanceCase => ({
    name: `${name} that one sandbox takes are not taken from another`,
    run: async (provider) => {
      const { neighbour, same } = await attack(provider, {}, each);
      assert.equal(neighbour, 'free');
      if (!hasOwnKernel(provider)) assert.equal(same, 'taken', 'control: there is a limit');
    },
  })),
  {
    name: 'a command has a bounded number of terminals',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        const count = Number(
          await perl(
            sandbox,
            `my @taken; for (1 .. 500) { open(my $one, '+<', '/dev/ptmx') or last; push @taken, $one } print scalar @taken;`,
          ),
        );
        assert.ok(count >= 1 && (count <= 256 || hasOwnKernel(provider)), `${count} terminals`);
      }),
  },
  {
    name: 'a command cannot change the exit code that is told outside',
    run: (provider) =>
      withSandbox(provider, {}, async (sandbox) => {
        const result = await sandbox.exec('', { argv: ['/usr/bin/perl', '-e', PRELUDE + TAKE_OVER_PROCESS_1] });
        assert.equal(result.exitCode, 5);
        assert.equal(result.stdout, 'another: traced, process 1: not traced');
      }),
  },
  {
    name: 'the buffers of sockets are limited',
    needs: ['limits', 'seals'],
    run: async (provider) => {
      const options = { limits: { memoryBytes: 128 * MIB } };
      const held = (unsealed: boolean): Promise<number> =>
        withSandbox(provider, unsealed ? { ...options, unsealed: ['limits'] } : options, async (sandbox) =>
          Number((await sandbox.exec('', { argv: ['/usr/bin/perl', '-e', PRELUDE + FILL_SOCKETS] })).stdout),
        );
      // Control: with four times the limit more fits.
      const [sealed, unsealed] = [await held(false), await held(true)];
      assert.ok(sealed < 40 * MIB, `${sealed} bytes`);
      if (!hasOwnKernel(provider)) assert.ok(unsealed > sealed + 8 * MIB, `${unsealed} and ${sealed} bytes`);
    },
  },
];
