import { constants } from 'node:fs';
import { copyFile, link, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

const FILES_PER_TURN = 64;
const ATTEMPTS = 3;

/**
 * Copies loose objects and packs of other stores into an object store, by hard link where possible. Files that steer
 * git are left behind: alternates, promisor and keep marks, commit graphs, bitmaps, multi-pack indexes. Loose objects
 * are copied first: a repack that runs meanwhile removes them only once their pack exists.
 */
export async function copyObjects(from: readonly string[], to: string): Promise<void> {
  await mkdir(join(to, 'pack'), { recursive: true });
  await mkdir(join(to, 'info'), { recursive: true });
  for (const directory of from) await copyLoose(directory, to);
  for (const directory of from) await copyPacks(directory, to);
}

async function copyLoose(from: string, to: string): Promise<void> {
  for (const fan of await namesIn(from)) {
    if (!/^[0-9a-f]{2}$/.test(fan)) continue;
    const names = (await namesIn(join(from, fan))).filter((name) => /^[0-9a-f]{38}$/.test(name));
    if (names.length > 0) await mkdir(join(to, fan), { recursive: true });
    for (let start = 0; start < names.length; start += FILES_PER_TURN) {
      await Promise.all(
        names.slice(start, start + FILES_PER_TURN).map((name) => takeOver(join(from, fan, name), join(to, fan, name))),
      );
      await nextTurn();
    }
  }
}

async function copyPacks(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const names = new Set(await namesIn(join(from, 'pack')));
    const packs = [...names].filter(
      (name) => /^pack-[0-9a-f]{40}\.pack$/.test(name) && names.has(name.replace(/pack$/, 'idx')),
    );
    let complete = true;
    for (const pack of packs) {
      for (const name of [pack, pack.replace(/pack$/, 'idx')]) {
        complete = (await takeOver(join(from, 'pack', name), join(to, 'pack', name))) && complete;
      }
    }
    // A pack that disappeared was replaced by another.
    if (complete || attempt === ATTEMPTS) return;
  }
}

/** Returns false when the file is gone or is not a regular file. */
async function takeOver(source: string, target: string): Promise<boolean> {
  try {
    if (!(await lstat(source)).isFile()) return false;
    try {
      await link(source, target);
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return true;
      if (codeOf(error) === 'ENOENT') return false;
      // Another file system, too many links, or a file owned by someone else.
      await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    }
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
