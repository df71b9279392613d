import type { VisibleFile } from './freeze-files.ts';

export interface Platform {
  /** As wheels name it: `x86_64`, `aarch64`. */
  machine: string;
  libc: 'manylinux' | 'musllinux';
}

/**
 * The wheel of the highest final release for a platform; of several, the one for the oldest C library. Null without
 * one.
 */
export function newestWheel(files: VisibleFile[], platform: Platform): VisibleFile | null {
  const candidates = files.flatMap((file) => {
    const age = file.filename.endsWith('.whl') ? libcVersion(file.filename, platform) : null;
    return age === null || file.yanked !== null || !/^\d+(?:\.\d+)*$/.test(file.version) ? [] : [{ file, age }];
  });
  candidates.sort((a, b) => compareReleases(b.file.version, a.file.version) || a.age - b.age);
  return candidates[0]?.file ?? null;
}

/** Returns the minor version of the C library that a wheel needs, or null for another platform. */
function libcVersion(filename: string, { machine, libc }: Platform): number | null {
  const tags = filename.slice(0, -'.whl'.length).split('-').at(-1)?.split('.') ?? [];
  const versions = tags.flatMap((tag) => {
    const [, family, minor, of] = /^(manylinux|musllinux)_\d+_(\d+)_(\w+)$/.exec(tag) ?? [];
    return family === libc && of === machine ? [Number(minor)] : [];
  });
  return versions.length === 0 ? null : Math.min(...versions);
}

function compareReleases(a: string, b: string): number {
  const left = a.split('.').map(Number);
  const right = b.split('.').map(Number);
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
