import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { AssayError } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import { digestEntries } from '@assay/files/content-digest';
import { hashFiles } from './bundle-digest.ts';
import { type BundleFile, listBundle, printable } from './bundle-files.ts';
import { listChangeFiles, readChangeFiles } from './change-files.ts';
import { checkArchive } from './check-archive.ts';
import { parseTaskToml } from './parse-task-toml.ts';
import type { RepositoryTask, Task } from './task.ts';

const REQUIRED = ['instruction.md', 'environment/Dockerfile', 'environment/repo.tar.gz', 'tests/test.sh'];
const REQUIRED_OF_KIND: Record<Task['kind'], string[]> = {
  repository: ['tests/contract.json', 'solution/solve.sh'],
  standard: ['tests/standard.json'],
  scenario: [],
  diff: ['tests/contract.json', 'solution/solve.sh'],
};

/** Archives already found safe, by the hash of their bytes: many tasks have the same environment. */
const safeArchives = new Set<string>();

/**
 * Reads a bundle and checks everything that can be checked without running it. Throws `TASK_NOT_FOUND`; `TASK_INVALID`
 * with file, line and field; `TASK_ALTERED` when the digest or a needed file differs from task.toml; `TASK_UNSAFE` for
 * links, special files, paths and archives that lead elsewhere, and for sizes beyond {@link BUNDLE_LIMITS}.
 */
export async function readTask(directory: string): Promise<Task> {
  const root = resolve(directory);
  if (!(await isTask(root))) throw new AssayError('TASK_NOT_FOUND', { path: directory });
  const files = await listBundle(root);
  const tomlFile = join(root, 'task.toml');
  const toml = parseTaskToml(await readFile(tomlFile, 'utf8'), tomlFile);
  const meta = toml.metadata.assay;
  const hashes = await hashFiles(root, files);
  checkDigest(root, digestEntries(hashes), meta.digest);
  const required = [...REQUIRED, ...REQUIRED_OF_KIND[meta.kind]];
  for (const path of required)
    if (!files.some((file) => file.path === path))
      throw new AssayError('TASK_ALTERED', { path: root, detail: `${path} is missing` });
  await checkArchives(root, files, hashes);
  const changes = files.some((file) => file.path.startsWith('solution/')) ? ['solution'] : [];
  if (meta.kind === 'repository') changes.push('tests/hidden');
  if (meta.kind === 'diff') changes.push('tests/reference');
  await Promise.all(changes.map((path) => listChangeFiles(join(root, path))));
  const bundle = {
    directory: root,
    id: toml.task.name.slice(toml.task.name.indexOf('/') + 1),
    toml,
    instruction: await readFile(join(root, 'instruction.md'), 'utf8'),
  };
  // The kind decides which metadata it is; the compiler cannot follow that through the union.
  return { kind: meta.kind, meta, ...bundle } as Task;
}

/** Reads a bundle as {@link readTask} does. Throws `TASK_KIND` when its task is of another kind. */
export async function readTaskOf<Kind extends Task['kind']>(
  kind: Kind,
  directory: string,
): Promise<Extract<Task, { kind: Kind }>> {
  return requireKind(kind, await readTask(directory));
}

/** Returns a task that was read. Throws `TASK_KIND` when it is of another kind. */
export function requireKind<Kind extends Task['kind']>(kind: Kind, task: Task): Extract<Task, { kind: Kind }> {
  const isOfKind = (read: Task): read is Extract<Task, { kind: Kind }> => read.kind === kind;
  if (!isOfKind(task)) throw new AssayError('TASK_KIND', { path: task.directory, kind: task.kind, wanted: kind });
  return task;
}

/** A dataset: its tasks by id, and the directories that could not be read as tasks. */
export interface Dataset {
  tasks: Task[];
  broken: { directory: string; error: unknown }[];
}

/**
 * Reads a task, or all tasks of a dataset, which is a directory of tasks one level deep. Directories that are not tasks
 * are listed as broken, so that none is silently forgotten; files and names that begin with a dot are ignored. Throws
 * as {@link readTask} does when no task could be read, and `TASK_UNSAFE` when two have the same name.
 */
export async function readDataset(path: string): Promise<Dataset> {
  const root = resolve(path);
  if (await isTask(root)) return { tasks: [await readTask(root)], broken: [] };
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  const directories = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => join(root, entry.name))
    .sort();
  if (directories.length === 0) throw new AssayError('TASK_NOT_FOUND', { path });
  const tasks: Task[] = [];
  const broken: Dataset['broken'] = [];
  for (const directory of directories)
    await readTask(directory).then(
      (task) => tasks.push(task),
      (error: unknown) => broken.push({ directory, error }),
    );
  if (tasks.length === 0) throw broken[0]?.error;
  const twice = tasks.find((task, index) => tasks.findIndex((other) => other.id === task.id) !== index);
  if (twice) throw new AssayError('TASK_UNSAFE', { path, detail: `two of its tasks are called ${twice.id}` });
  return { tasks: tasks.sort((a, b) => (a.id < b.id ? -1 : 1)), broken };
}

/** Reads the change that solves the task. */
export function readReference(task: Pick<RepositoryTask, 'directory'>): Promise<ChangeSet> {
  return readChangeFiles(join(task.directory, 'solution'));
}

/** Like {@link readReference}; returns null when the bundle has none. */
export async function readOptionalReference(task: Task): Promise<ChangeSet | null> {
  const entry = await lstat(join(task.directory, 'solution')).catch(() => null);
  return entry ? readChangeFiles(join(task.directory, 'solution')) : null;
}

/** Reads the hidden tests, as a change against T0. */
export function readHidden(task: RepositoryTask): Promise<ChangeSet> {
  return readChangeFiles(join(task.directory, 'tests', 'hidden'));
}

async function isTask(directory: string): Promise<boolean> {
  return lstat(join(directory, 'task.toml')).then(
    (entry) => !entry.isDirectory(),
    () => false,
  );
}

function checkDigest(root: string, found: string, recorded: string): void {
  if (found !== recorded) {
    throw new AssayError('TASK_ALTERED', {
      path: root,
      detail: `its digest is ${found}, task.toml says ${printable(recorded.slice(0, 100))}`,
    });
  }
}

async function checkArchives(root: string, files: BundleFile[], hashes: ReadonlyMap<string, string>): Promise<void> {
  for (const { path } of files) {
    const isArchive = /\.(tar|tar\.gz|tgz)$/.test(basename(path)) && /^(environment|tests\/environment)\//.test(path);
    const hash = hashes.get(path);
    if (!isArchive || hash === undefined || safeArchives.has(hash)) continue;
    await checkArchive(join(root, path));
    safeArchives.add(hash);
  }
}
