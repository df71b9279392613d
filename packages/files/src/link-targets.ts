import { posix } from 'node:path';

const MAX_HOPS = 40;
const MAX_TARGET_BYTES = 4_095;

/**
 * Why a symbolic link may not be made, or `null` when it stays within its tree, also by way of the tree's other links.
 * `links` holds every link of the tree, path to target; a target that names nothing is fine.
 */
export function escapingLinkReason(path: string, links: ReadonlyMap<string, string>): string | null {
  const target = links.get(path) ?? '';
  if (target === '' || target.includes('\0') || Buffer.byteLength(target) > MAX_TARGET_BYTES)
    return 'it is a link that no file system takes';
  const pending = target.split('/').reverse();
  let place = directoryOf(path);
  if (target.startsWith('/')) return 'it is a link to an absolute path';
  for (let hops = 0; ;) {
    const name = pending.pop();
    if (name === undefined) return null;
    if (name === '' || name === '.') continue;
    if (name === '..') {
      if (place.length === 0) return 'it is a link that leads out of the tree';
      place.pop();
      continue;
    }
    place.push(name);
    const next = links.get(place.join('/'));
    if (next === undefined) continue;
    if (next.startsWith('/')) return 'it is a link by way of an absolute path';
    if (++hops > MAX_HOPS) return 'it is a link that goes round in circles';
    place = place.slice(0, -1);
    pending.push(...next.split('/').reverse());
  }
}

function directoryOf(path: string): string[] {
  const directory = posix.dirname(path);
  return directory === '.' ? [] : directory.split('/');
}
