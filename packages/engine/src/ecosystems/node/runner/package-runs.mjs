import { isAbsolute, join, posix, relative, sep } from 'node:path';

/** Words of T0's command after this one are those of the suite in a package of the workspace. */
const PACKAGE = /^--in=(.+)$/;
/** A shell line that makes what the tests load. */
const BEFORE = /^--before=(.+)$/s;
/** A variable that the tests and what is made for them shall see. */
const VARIABLE = /^--env=([A-Za-z_]\w*)=(.*)$/s;

/**
 * The runs that a request stands for: one, or, where its words name packages, one in the directory of each that has
 * files to run. `files` and `args` are those of the run; `unclaimed` are files that no package has.
 */
export function packageRuns({ root, args }, files) {
  const packages = [];
  const ofRoot = [];
  for (const word of args) {
    const directory = PACKAGE.exec(word)?.[1];
    if (directory !== undefined) packages.push({ directory, root: join(root, directory), args: [], files: [] });
    else (packages.at(-1)?.args ?? ofRoot).push(word);
  }
  if (packages.length === 0) return { runs: [settled({ directory: '', root, args, files })], unclaimed: [] };
  const unclaimed = [];
  for (const file of files) {
    const owners = packages.filter(({ directory }) => file.startsWith(`${directory}/`));
    const owner = [...owners].sort((a, b) => b.directory.length - a.directory.length)[0];
    if (owner) owner.files.push(file.slice(owner.directory.length + 1));
    else unclaimed.push(file);
  }
  const ours = settled({ root, args: ofRoot });
  const runs = packages
    .filter(({ files: own }) => files.length === 0 || own.length > 0)
    .map((each) => settled(each, ours.env));
  // What the root builds, it builds for all.
  if (runs.length > 0) runs[0].before.unshift(...ours.before);
  return { runs, unclaimed };
}

/** Takes out of a run's words the variables, and the lines that run before its tests, each with its directory. */
function settled(run, outer = {}) {
  const matches = (pattern) => run.args.map((word) => pattern.exec(word)).filter((match) => match !== null);
  const env = { ...outer, ...Object.fromEntries(matches(VARIABLE).map(([, name, value]) => [name, value])) };
  const before = matches(BEFORE).map(([, line]) => ({ line, cwd: run.root, env }));
  return { ...run, args: run.args.filter((word) => !BEFORE.test(word) && !VARIABLE.test(word)), before, env };
}

/** A record of a run with the path of its file from the root; null when the file is of another package. */
export function placed(record, { directory, root }) {
  if (directory === '' || typeof record.file !== 'string') return record;
  const file = isAbsolute(record.file) ? relative(root, record.file).split(sep).join('/') : record.file;
  return file.startsWith('..') ? null : { ...record, file: posix.join(directory, file) };
}
