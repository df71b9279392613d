import { isAbsolute, join, posix, relative, sep } from 'node:path';

/** Words of T0's command after this one are those of the suite in a package of the workspace. */
const PACKAGE = /^--in=(.+)$/;

/**
 * The runs that a request stands for: one, or, where its words name packages, one in the directory of each that has
 * files to run. `files` and `args` are those of the run; `unclaimed` are files that no package has.
 */
export function packageRuns({ root, args }, files) {
  const packages = [];
  for (const word of args) {
    const directory = PACKAGE.exec(word)?.[1];
    if (directory !== undefined) packages.push({ directory, root: join(root, directory), args: [], files: [] });
    else packages.at(-1)?.args.push(word);
  }
  if (packages.length === 0) return { runs: [{ directory: '', root, args, files }], unclaimed: [] };
  const unclaimed = [];
  for (const file of files) {
    const owners = packages.filter(({ directory }) => file.startsWith(`${directory}/`));
    const owner = [...owners].sort((a, b) => b.directory.length - a.directory.length)[0];
    if (owner) owner.files.push(file.slice(owner.directory.length + 1));
    else unclaimed.push(file);
  }
  return { runs: packages.filter(({ files: own }) => files.length === 0 || own.length > 0), unclaimed };
}

/** A record of a run with the path of its file from the root; null when the file is of another package. */
export function placed(record, { directory, root }) {
  if (directory === '' || typeof record.file !== 'string') return record;
  const file = isAbsolute(record.file) ? relative(root, record.file).split(sep).join('/') : record.file;
  return file.startsWith('..') ? null : { ...record, file: posix.join(directory, file) };
}
