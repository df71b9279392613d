import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const inProcess = new Map<string, Promise<string>>();

/**
 * Returns a directory of the cache that `fill` fills once for each `key`. `fill` gets a path where nothing is yet. A
 * fill that was killed leaves nothing that counts; of two at the same time one stays. No submission has a part in it.
 */
export function toolchainLayer(
  name: string,
  key: readonly string[],
  fill: (directory: string) => Promise<void>,
): Promise<string> {
  const target = join(cacheDirectory(), 'toolchains', `${name}-${digest(key)}`);
  const running = inProcess.get(target);
  if (running) return running;
  const work = fillOnce(target, fill);
  inProcess.set(target, work);
  work.catch(() => inProcess.delete(target));
  return work;
}

async function fillOnce(target: string, fill: (directory: string) => Promise<void>): Promise<string> {
  if (existsSync(target)) return target;
  const draft = `${target}.${process.pid}.${randomBytes(4).toString('hex')}.draft`;
  mkdirSync(dirname(target), { recursive: true });
  removeStaleDrafts(dirname(target));
  try {
    await fill(draft);
    // Another process may have made the same meanwhile.
    if (!existsSync(target)) renameSync(draft, target);
    return target;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Removes the drafts of dead processes. */
function removeStaleDrafts(directory: string): void {
  for (const name of readdirSync(directory)) {
    const pid = /\.(\d+)\.[0-9a-f]+\.draft$/.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`))
      rmSync(join(directory, name), { recursive: true, force: true });
  }
}

function digest(key: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, 32);
}

/** The one that all of Assay uses: `$ASSAY_CACHE`, else below the XDG cache directory. */
function cacheDirectory(): string {
  const given = process.env['ASSAY_CACHE'];
  return given ? given : join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'assay');
}
