import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { TestCommand } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import type { PreparedEnvironment } from '../ecosystems/ecosystem.ts';
import { absentBlobs } from '../git/absent-blobs.ts';
import { packDirectory } from '@assay/files/tar';
import { freshRepository } from '../git/fresh-repository.ts';
import type { ImportedRepository } from '../git/import-repository.ts';
import { materialiseTree } from '../git/materialise-tree.ts';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import { Rejection, type Candidate } from './candidate.ts';

export interface BuildOptions {
  repository: ImportedRepository;
  provider: SandboxProvider;
  cacheDirectory: string;
  signal?: AbortSignal;
  log?: (line: string) => void;
}

/** The repository at T0, made anew. */
export interface Rebuilt {
  /** Tree of T0 with a `.git` that holds one root commit. */
  t0Directory: string;
  /** The same as an archive, for the bundle. */
  repoTar: string;
  command: TestCommand;
  projectNames: string[];
  /** Files of T0 that the source does not hold, so that the task does not either. */
  absent: string[];
}

/** Data that no test runner and no installer reads of its own accord: all that T0 may lack. */
const BINARY =
  /\.(?:pdf|png|jpe?g|gif|webp|bmp|tiff?|ico|jp2|jb2|ttf|otf|woff2?|zip|gz|tgz|bz2|xz|zst|7z|tar|bin|dat|sqlite3?|npy|npz|parquet|pickle|mp[34]|wav|ogg|flac|avi|mov|webm|docx?|xlsx?|pptx?|epub|pcap)$/i;

/** T0 with its environment: everything that proving and writing a task needs. */
export interface Built extends Rebuilt {
  environment: PreparedEnvironment;
}

/**
 * Stage 2a: the repository at T0, not scrubbed but made anew from T0's objects. Cheap, so that what its text decides is
 * decided first.
 */
export async function rebuild(candidate: Candidate, { repository, cacheDirectory }: BuildOptions): Promise<Rebuilt> {
  const absent = await absentBlobs(repository, candidate.parent);
  const needed = absent.find(({ path }) => !BINARY.test(path));
  if (needed)
    throw new Rejection(
      'missing_objects',
      `T0 lacks ${needed.path}, which is no binary that only single tests may need`,
    );
  const without = new Set(absent.map(({ oid }) => oid));
  const layer = await prepareLayer(cacheDirectory, layerName(candidate.parent, without), async (draft) => {
    const tree = join(draft, 'tree');
    await materialiseTree(repository, candidate.parent, tree, { without });
    await freshRepository(repository, candidate.parent, join(tree, '.git'), { without });
    await packDirectory(tree, join(draft, 'repo.tar.gz'));
  });
  const t0Directory = join(layer, 'tree');
  const command = await candidate.ecosystem.testCommand(t0Directory);
  if (!command) throw new Rejection('no_runner', 'no test runner is named at T0');
  return {
    t0Directory,
    repoTar: join(layer, 'repo.tar.gz'),
    command,
    projectNames: await candidate.ecosystem.projectNames(t0Directory),
    absent: absent.map(({ path }) => path).sort(),
  };
}

function layerName(parent: string, without: ReadonlySet<string>): string {
  return without.size === 0
    ? `base-${parent}`
    : `base-${parent}-${createHash('sha256')
        .update([...without].sort().join('\n'))
        .digest('hex')
        .slice(0, 16)}`;
}

/** Stage 2b: its dependencies as of T0, installed in a sandbox whose only way out is the package lane. */
export async function build(
  candidate: Candidate,
  rebuilt: Rebuilt,
  { provider, cacheDirectory, signal, log }: BuildOptions,
): Promise<Built> {
  const environment = await candidate.ecosystem.buildEnvironment({
    treeDirectory: rebuilt.t0Directory,
    t0: candidate.t0,
    command: rebuilt.command,
    provider,
    cacheDirectory,
    signal,
    log,
  });
  return { ...rebuilt, environment };
}
