import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, fdatasyncSync, mkdtempSync, openSync, closeSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { attack, locks, perl } from '../../../testkit/src/conformance/shared-kernel-attacks.ts';
import type { Sandbox, SandboxOptions, SandboxProvider } from '../contract.ts';
import { bubblewrapProvider } from './bubblewrap/bubblewrap-provider.ts';
import { runcProvider, runscProvider } from './oci/oci-provider.ts';

// These are the leaks that docs/threat-model.md names below "What is not sealed at all". A test that fails here may
// mean that one has been closed: then that page has to say so.

const root = process.getuid?.() === 0;
const NAMESPACES: ReadonlyArray<[string, () => SandboxProvider]> = root
  ? [
      ['bubblewrap', bubblewrapProvider],
      ['runc', runcProvider],
    ]
  : [['bubblewrap', bubblewrapProvider]];

const SIZE = 4 * 1024 * 1024;

/** Perl that reads a file and prints how many bytes of it came from the disk. */
const READ = (path: string): string => `open(my $file, '<', '${path}') or die; 1 while sysread $file, my $piece, 65536;
  open(my $counts, '<', '/proc/self/io') or die; print join('', <$counts>) =~ /^read_bytes: (\\d+)/m`;

/** Perl that drops a file from the page cache: posix_fadvise(POSIX_FADV_DONTNEED). */
const DROP = `open(my $file, '<', $ARGV[0]) or die; syscall(${process.arch === 'arm64' ? 223 : 221}, fileno $file, 0, 0, 4) == 0 or die`;

/** A file on the disk and in no cache. */
function makeColdFile(path: string): void {
  const file = openSync(path, 'w', 0o644);
  writeSync(file, Buffer.alloc(SIZE, 1));
  fdatasyncSync(file);
  closeSync(file);
  execFileSync('perl', ['-e', DROP, path]);
}

async function withTwo<T>(
  provider: SandboxProvider,
  options: SandboxOptions,
  use: (first: Sandbox, second: Sandbox) => Promise<T>,
): Promise<T> {
  const [first, second] = [await provider.create(options), await provider.create(options)];
  try {
    return await use(first, second);
  } finally {
    await Promise.all([first.destroy(), second.destroy()]);
  }
}

/** How much of a file a sandbox has to read from the disk, before and after another sandbox has read it. */
async function measurePageCache(provider: SandboxProvider, directory: string): Promise<{ cold: number; warm: number }> {
  const options: SandboxOptions = { mounts: [{ kind: 'read-only', source: directory, target: '/opt/shared' }] };
  return await withTwo(provider, options, async (first, second) => {
    for (const name of ['unread', 'read']) makeColdFile(join(directory, name));
    const cold = Number(await perl(second, READ('/opt/shared/unread')));
    await perl(first, READ('/opt/shared/read'));
    return { cold, warm: Number(await perl(second, READ('/opt/shared/read'))) };
  });
}

/** Lines of /proc/stat: when the machine was started, and how many processes it has started since. */
function figures(stat: string): { startedAt: number; processes: number } {
  const figure = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(stat)?.[1]);
  return { startedAt: figure('btime'), processes: figure('processes') };
}

const machineFigures = (): ReturnType<typeof figures> => figures(readFileSync('/proc/stat', 'utf8'));

describe('two sandboxes on one machine share', () => {
  for (const [name, provider] of NAMESPACES) {
    test(`the page cache: ${name}`, async (context) => {
      const directory = mkdtempSync(join(tmpdir(), 'assay-page-cache-'));
      chmodSync(directory, 0o755);
      try {
        let seen = { cold: 0, warm: 0 };
        // A machine that is short of memory may drop what has just been read.
        for (let attempt = 0; attempt < 5; attempt++) {
          seen = await measurePageCache(provider(), directory);
          if (seen.cold >= SIZE && seen.warm < SIZE / 2) return;
        }
        if (seen.cold === 0) return context.diagnostic(`${directory} lies in memory, and is never read from a disk`);
        assert.fail(JSON.stringify(seen));
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    });

    test(`the machine's figures in /proc: ${name}`, async () => {
      await withTwo(provider(), {}, async (first, second) => {
        const look = async (): Promise<ReturnType<typeof figures>> =>
          figures((await second.exec('cat /proc/stat')).stdout);
        const before = await look();
        await first.exec('for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done');
        const after = await look();
        assert.ok(after.processes - before.processes > 10, 'the second sandbox counts what the first one starts');
        assert.equal(after.startedAt, machineFigures().startedAt);
      });
    });
  }
});

describe('gVisor', { skip: root ? false : 'runsc needs root' }, () => {
  test('has figures of its own in /proc', async () => {
    await withTwo(runscProvider(), {}, async (_, second) => {
      assert.ok(!(figures((await second.exec('cat /proc/stat')).stdout).processes >= machineFigures().processes));
    });
  });

  test('keeps locks to one command: neither another sandbox nor another command of the same one sees them', async () => {
    const path = '/usr/bin/b2sum';
    const { 'flock(2)': flock, 'locks of processes': ofProcesses } = locks(path);
    for (const each of [flock, ofProcesses])
      assert.deepEqual(await attack(runscProvider(), {}, each ?? assert.fail()), { neighbour: 'free', same: 'free' });
    await withTwo(runscProvider(), {}, async (first) => {
      const twice = `my ($one, $two) = (opened('${path}'), opened('${path}')); flock($one, 2) or die; print(flock($two, 2 | 4) ? 'free' : 'taken');`;
      assert.equal(await perl(first, twice), 'taken', 'control: within one command there are locks');
    });
  });
});
