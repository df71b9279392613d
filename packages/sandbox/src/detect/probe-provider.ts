import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol/errors';
import { hostEnvironment } from '../process/host-environment.ts';
import type { CatalogueEntry } from '../providers/catalogue.ts';
import { ownerDirectory } from '../runtime/runtime-directory.ts';

export interface Probe {
  /** A sandbox can be started and a command runs in it. */
  starts: boolean;
  /** A sentence for each fault. Empty when everything essential works. */
  problems: string[];
  /** A command that installs what is missing. */
  install?: string;
}

/** Each prints its name when it holds. `$1` is a directory of the host that must not be there. */
const CHECKS: Array<{ name: string; script: string; otherwise: string }> = [
  { name: 'files', script: 'ls -la / /etc/passwd /usr/bin/env > /dev/null', otherwise: '`ls` fails in it' },
  { name: 'user', script: '[ "$(id -u)" = 1000 ]', otherwise: 'commands do not run as the unprivileged user' },
  {
    name: 'write',
    script: 'echo x > /workspace/x && [ "$(cat /workspace/x)" = x ] && ! (: > /usr/x)',
    otherwise: 'files are not writable where they should be, or where they should not',
  },
  {
    name: 'network',
    script: '[ "$(tail -n +3 /proc/net/dev | grep -vc "^ *lo:")" = 0 ]',
    otherwise: 'it has a network beyond loopback',
  },
  { name: 'host', script: '[ ! -e "$1" ] && [ ! -e /etc/shadow ]', otherwise: 'files of the host are visible in it' },
];

/** Starts one sandbox and looks whether the essentials hold. Never throws. */
export async function probeProvider(entry: CatalogueEntry): Promise<Probe> {
  const missing = missingRequirement(entry);
  if (missing !== null) return { starts: false, ...missing };
  try {
    const provider = entry.make();
    const sandbox = await provider.create({ timeout: 20_000 });
    try {
      const script = CHECKS.map(
        ({ name, script: check }) => `if { ${check}; } 2>/dev/null; then echo ${name}; fi`,
      ).join('\n');
      const result = await sandbox.exec('', { argv: ['/bin/sh', '-c', script, 'sh', ownerDirectory()] });
      if (result.exitCode !== 0)
        return {
          starts: false,
          problems: [`a command in it ends with ${result.exitCode}: ${firstLine(result.stderr)}`],
        };
      const passed = result.stdout.split('\n');
      return {
        starts: true,
        problems: CHECKS.filter(({ name }) => !passed.includes(name)).map(({ otherwise }) => otherwise),
      };
    } finally {
      await sandbox.destroy();
    }
  } catch (error) {
    return { starts: false, problems: [describe(error)] };
  }
}

/** Milliseconds of create, `true` and destroy: the median of `runs`. */
export async function measureStart(entry: CatalogueEntry, runs: number): Promise<number> {
  const provider = entry.make();
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const startedAt = performance.now();
    const sandbox = await provider.create();
    await sandbox.exec('', { argv: ['true'] });
    await sandbox.destroy();
    times.push(performance.now() - startedAt);
  }
  return Math.round(times.toSorted((a, b) => a - b)[Math.floor(runs / 2)] ?? 0);
}

/** Returns the path of a command of the host, or `null`. */
export function findCommand(command: string): string | null {
  for (const directory of (hostEnvironment()['PATH'] ?? '').split(':')) {
    const path = join(directory, command);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this one.
    }
  }
  return null;
}

function missingRequirement(entry: CatalogueEntry): Omit<Probe, 'starts'> | null {
  if (process.platform !== 'linux') return { problems: ['it needs Linux'] };
  const missing = entry.commands.filter((command) => findCommand(command) === null);
  if (missing.length > 0) return { problems: [`not installed: ${missing.join(', ')}`], install: entry.install };
  return entry.needsRoot && process.getuid?.() !== 0 ? { problems: ['it needs root'] } : null;
}

function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const denied =
    AssayError.is(error) &&
    error.code === 'SANDBOX_START_FAILED' &&
    /not permitted|denied|Invalid argument|No space left/i.test(message);
  const hint =
    denied && process.getuid?.() !== 0
      ? ' (are unprivileged user namespaces switched off? see sysctl user.max_user_namespaces)'
      : '';
  return `${firstLine(message)}${hint}`;
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
