import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { DebianLock } from './debian-lock.ts';

const FOLDER = join(import.meta.dirname, 'programs');
/** Commands that scenarios ask for, and the lock that brings each; null for what is in every tree. */
const LOCKS: Readonly<Record<string, string | null>> = {
  convert: 'imagemagick.json',
  ffmpeg: 'ffmpeg.json',
  'g++': 'c-plus-plus.json',
  pdftotext: 'poppler-utils.json',
  pdfunite: 'poppler-utils.json',
  ps: null,
};

/** Commands that a system of Debian packages can hold for a scenario. */
export const DEBIAN_PROGRAMS: readonly string[] = Object.keys(LOCKS);

/** A lock and those of the commands, all in one. Commands that are not in `DEBIAN_PROGRAMS` add nothing. */
export async function withDebianPrograms(lock: DebianLock, programs: readonly string[]): Promise<DebianLock> {
  const names = [...new Set(programs.flatMap((program) => LOCKS[program] ?? []))].toSorted();
  const extra = await Promise.all(
    names.map(async (name) => DebianLock.parse(JSON.parse(await readFile(join(FOLDER, name), 'utf8')))),
  );
  return extra.reduce(merge, lock);
}

/** Throws `IMPOSSIBLE` for two versions of one package: locks must be made on one day. */
function merge(one: DebianLock, other: DebianLock): DebianLock {
  const packages = new Map(one.packages.map((each) => [each.name, each]));
  for (const each of other.packages) {
    const there = packages.get(each.name);
    if (there && there.sha256 !== each.sha256)
      throw new AssayError('IMPOSSIBLE', {
        detail: `the locks of Debian packages name ${each.name} ${there.version} and ${each.version}`,
      });
    packages.set(each.name, each);
  }
  return {
    suite: one.suite,
    wanted: [...new Set([...one.wanted, ...other.wanted])],
    links: { ...one.links, ...other.links },
    packages: [...packages.values()],
  };
}
