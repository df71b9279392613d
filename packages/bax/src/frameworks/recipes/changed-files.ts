/** Seconds since 1970 from which a file counts as changed by a box that was made just now. */
export const changesFrom = (): number => Math.floor(Date.now() / 1000) - 1;

/**
 * A shell line that copies to `target`, which must not exist, what changed in `paths` of `directory` from a time on,
 * nothing special. By the time of the inode, which nothing inside can set. Links stay links.
 */
export function copyChanges(directory: string, paths: readonly string[], from: number, target: string): string {
  const places = paths.map((path) => `'./${path.replaceAll("'", "'\\''")}'`).join(' ');
  return [
    `mkdir ${target} && cd ${directory}`,
    `find ${places} \\( -type f -o -type l -o -type d \\) -newerct @${from} -print0 2>/dev/null > ${target}.list; true`,
    `tar --null --no-recursion --files-from=${target}.list --create --sparse --file=- | tar --extract --preserve-permissions --directory=${target} --file=-`,
  ].join(' && ');
}
