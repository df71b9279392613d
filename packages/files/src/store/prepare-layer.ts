import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildWithinDisk } from '../disk-full.ts';
import { makeOutputDirectory } from '../output-place.ts';
import { sweepDead } from '../sweep-dead.ts';
import { takeLease } from './lease-file.ts';

const inProcess = new Map<string, Promise<string>>();

/**
 * The directory of a layer, built once for its digest. `build` fills a new directory, which then takes its place by one
 * rename, so a killed build leaves nothing that counts. Parallel callers, in this process or another, wait for the
 * first; the signal ends the wait for another process.
 */
export function prepareLayer(
  cache: string,
  digest: string,
  build: (directory: string) => Promise<void>,
  { signal }: { signal?: AbortSignal } = {},
): Promise<string> {
  const target = join(cache, 'layers', digest);
  const running = inProcess.get(target);
  if (running) return running;
  const work = buildOnce({ cache, target, signal }, build).finally(() => inProcess.delete(target));
  inProcess.set(target, work);
  return work;
}

let swept: Promise<void> | undefined;

/** Removes the drafts of killed processes. Their names end in `.<process id>.<random>.draft`. */
function removeStaleDrafts(layers: string): Promise<void> {
  return sweepDead(layers, /\.(\d+)\.[0-9a-f]+\.draft$/);
}

async function buildOnce(
  { cache, target, signal }: { cache: string; target: string; signal?: AbortSignal },
  build: (directory: string) => Promise<void>,
): Promise<string> {
  if (await exists(target)) return target;
  await makeOutputDirectory(join(cache, 'layers'));
  await (swept ??= removeStaleDrafts(join(cache, 'layers')));
  const lock = `${target}.lock`;
  let lease = await takeLease(lock);
  while ('heldBy' in lease) {
    await sleep(50, undefined, { signal });
    if (await exists(target)) return target;
    lease = await takeLease(lock);
  }
  const draft = `${target}.${process.pid}.${randomBytes(4).toString('hex')}.draft`;
  try {
    if (await exists(target)) return target;
    await mkdir(draft);
    await buildWithinDisk(cache, () => build(draft));
    await rename(draft, target);
    return target;
  } finally {
    await rm(draft, { recursive: true, force: true });
    await lease.release();
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
