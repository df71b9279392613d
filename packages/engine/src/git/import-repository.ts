import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { makeOutputDirectory, unwritable } from '@assay/files/output-place';
import { sweepDead } from '@assay/files/sweep-dead';
import { cloneRemote } from './clone-remote.ts';
import { copyObjects } from './copy-objects.ts';
import { readForeignRepository, type ForeignRepository } from './read-foreign-repository.ts';
import { openRepository, readCommit, type Repository } from './repository.ts';
import { locateSource, nameOfSource, originOfSource } from './source-location.ts';

/** A repository of our own that holds the objects of a foreign one. */
export interface ImportedRepository extends Repository {
  /** The commit that the source's HEAD names. */
  head: string;
  /** Short, neutral name taken from the path or URL: `click`. */
  name: string;
  /** The URL without credentials, or `local:<name>`. */
  origin: string;
  /** Deletes the repository. */
  dispose(): Promise<void>;
}

export interface ImportOptions {
  signal?: AbortSignal;
}

/** The whole configuration of an imported repository. */
const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tbare = true\n[gc]\n\tauto = 0\n';

/**
 * Imports a repository, given as a directory or a URL, into `cacheDirectory`. Nothing in the source is obeyed: HEAD,
 * refs and alternates are read as data, and objects are linked or copied into a repository of our own, where git then
 * runs. The source is never written to. Throws `NOT_A_REPOSITORY`, `EMPTY_REPOSITORY`, `SHALLOW_REPOSITORY`,
 * `UNSUPPORTED_REPOSITORY`, `REPOSITORY_REFUSED`, `REPOSITORY_UNREACHABLE`, and `MISSING_OBJECT` when HEAD's own commit
 * is missing. Other missing objects (a partial clone) are noticed when they are needed.
 */
export async function importRepository(
  source: string,
  cacheDirectory: string,
  options: ImportOptions = {},
): Promise<ImportedRepository> {
  const location = locateSource(source, existsSync);
  const parent = join(cacheDirectory, 'repositories');
  await makeOutputDirectory(parent);
  await removeAbandoned(parent);
  const directory = join(parent, `${process.pid}-${randomBytes(8).toString('hex')}`);
  await mkdir(directory, { mode: 0o700 }).catch((error: unknown) => {
    throw unwritable(directory, error);
  });
  const gitDirectory = join(directory, 'own.git');
  try {
    const path = location.kind === 'local' ? location.path : await cloneRemote(location.url, directory, options.signal);
    const foreign = await readForeignRepository(path).catch((error: unknown) => {
      throw asSeenByUser(error, source, path);
    });
    await makeRepository(gitDirectory, foreign);
    if (location.kind === 'remote') await rm(path, { recursive: true, force: true });
    const repository = openRepository(gitDirectory);
    const dispose = async (): Promise<void> => {
      await repository.objects.close();
      await rm(directory, { recursive: true, force: true });
    };
    const imported = {
      ...repository,
      head: foreign.head,
      name: nameOfSource(location),
      origin: originOfSource(location),
      dispose,
    };
    await readCommit(imported, imported.head);
    return imported;
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

async function makeRepository(gitDirectory: string, foreign: ForeignRepository): Promise<void> {
  await mkdir(join(gitDirectory, 'refs', 'heads'), { recursive: true });
  await chmod(gitDirectory, 0o700);
  await writeFile(join(gitDirectory, 'config'), CONFIG);
  await copyObjects(foreign.objectDirectories, join(gitDirectory, 'objects'));
  const tags = [...foreign.tags].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, oid]) => `${oid} ${name}\n`);
  await writeFile(join(gitDirectory, 'packed-refs'), `# pack-refs with: sorted \n${tags.join('')}`);
  await writeFile(join(gitDirectory, 'refs', 'heads', 'main'), `${foreign.head}\n`);
  await writeFile(join(gitDirectory, 'HEAD'), 'ref: refs/heads/main\n');
}

/** Removes the directories of killed processes, whose ids are in the names. */
function removeAbandoned(parent: string): Promise<void> {
  return sweepDead(parent, /^(\d+)-[0-9a-f]{16}$/);
}

/** Makes errors name the source that the user gave, not our clone of it. */
function asSeenByUser(error: unknown, source: string, path: string): unknown {
  if (!AssayError.is(error) || error.details['path'] !== path) return error;
  return new AssayError(error.code, { ...error.details, path: originOrPath(source, path) }, { cause: error });
}

function originOrPath(source: string, path: string): string {
  const location = locateSource(source, existsSync);
  return location.kind === 'remote' ? originOfSource(location) : path;
}
