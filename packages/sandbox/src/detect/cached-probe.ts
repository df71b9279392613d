import { createHash } from 'node:crypto';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import type { CatalogueEntry } from '../providers/catalogue.ts';
import { bootId } from '../process/process-identity.ts';
import { makePrivate, runtimeRoot } from '../runtime/runtime-directory.ts';
import { findCommand, probeProvider, type Probe } from './probe-provider.ts';

/** Counts up when what is probed changes. */
const PROBE_VERSION = 1;

/**
 * The probe of a provider, kept in the runtime directory until the machine boots anew, the kernel or one of the
 * provider's commands changes. A failure to start is not kept: installing something else may mend it.
 */
export async function cachedProbe(entry: CatalogueEntry): Promise<Probe> {
  const path = join(runtimeRoot(), `probe-${entry.name}-${fingerprint(entry)}.json`);
  const known = readProbe(path);
  if (known) return known;
  const probe = await probeProvider(entry);
  if (probe.starts) writeProbe(path, probe);
  return probe;
}

function fingerprint(entry: CatalogueEntry): string {
  const commands = entry.commands.map((command) => {
    const path = findCommand(command);
    return path === null ? [command] : [path, statSync(path).mtimeMs, statSync(path).size];
  });
  const parts = [PROBE_VERSION, release(), bootId(), process.getuid?.(), commands];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

function readProbe(path: string): Probe | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isProbe(value) ? value : null;
  } catch {
    return null;
  }
}

function isProbe(value: unknown): value is Probe {
  return (
    typeof value === 'object' &&
    value !== null &&
    'starts' in value &&
    value.starts === true &&
    'problems' in value &&
    Array.isArray(value.problems) &&
    value.problems.every((problem) => typeof problem === 'string')
  );
}

function writeProbe(path: string, probe: Probe): void {
  const draft = `${path}.${process.pid}`;
  try {
    makePrivate(runtimeRoot());
    writeFileSync(draft, JSON.stringify(probe), { mode: 0o600 });
    renameSync(draft, path);
  } catch {
    // Nowhere to keep it: the next process probes again.
  }
}
