import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestCommand } from '@assay/protocol';
import { sha256 } from '@assay/files/content-digest';
import type { PreparedEnvironment } from '../ecosystems/ecosystem.ts';
import { absentBlobs } from '../git/absent-blobs.ts';
import { digestChange } from '@assay/files/digest-change';
import { packDirectory } from '@assay/files/tar';
import { freshRepository } from '../git/fresh-repository.ts';
import { materialiseTree } from '../git/materialise-tree.ts';
import { withChange } from '../git/with-change.ts';
import type { Repository } from '../git/repository.ts';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import { Rejection, type Candidate } from './candidate.ts';
import type { MineContext } from './mine-context.ts';

/** The repository at T0, newly made. */
export interface BuiltTree {
  /** Tree of T0, with a `.git` that holds one root commit. */
  t0Directory: string;
  /** The same tree as an archive, for the bundle. */
  repoTar: string;
  projectNames: string[];
  /** Files of T0 that the source lacks, and so does the task. */
  absent: string[];
}

/** With it, how its tests are run, and a way to its environment. */
export interface Built extends BuiltTree {
  command: TestCommand;
  /**
   * Installs its dependencies as of T0 in a sandbox whose only way out is the package lane. Built on first use: a
   * candidate rejected by its text never needs them. Throws as `Ecosystem.buildEnvironment` does.
   */
  environment(): Promise<PreparedEnvironment>;
}

/** Data that no test runner or installer reads by itself, and the only files that T0 may lack. */
const BINARY =
  /\.(?:pdf|png|jpe?g|gif|webp|bmp|tiff?|ico|jp2|jb2|ttf|otf|woff2?|zip|gz|tgz|bz2|xz|zst|7z|tar|bin|dat|sqlite3?|npy|npz|parquet|pickle|mp[34]|wav|ogg|flac|avi|mov|webm|docx?|xlsx?|pptx?|epub|pcap)$/i;

/** Stage 2: rebuilds the repository at T0, and finds how its tests are run. Throws `missing_objects` and `no_runner`. */
export async function build(candidate: Candidate, context: MineContext): Promise<Built> {
  const tree = await buildTree(candidate, context);
  const { t0Directory } = tree;
  const command = await candidate.ecosystem.testCommand(t0Directory);
  if (!command) {
    const foreign = (await candidate.ecosystem.foreignRunner?.(t0Directory)) ?? null;
    const detail =
      foreign === null ? 'no test runner is named at T0' : `tests run by \`${foreign}\`, which Assay does not know`;
    throw new Rejection('no_runner', detail);
  }
  let environment: Promise<PreparedEnvironment> | undefined;
  return {
    ...tree,
    command,
    environment: () => (environment ??= buildEnvironment(candidate, { t0Directory, command }, context)),
  };
}

/** The repository at T0 from T0's objects, rather than scrubbed. Throws `missing_objects`. */
export async function buildTree(
  candidate: Candidate,
  { repository, cacheDirectory, progress, signal }: MineContext,
): Promise<BuiltTree> {
  const absent = await absentBlobs(repository, candidate.base);
  const needed = absent.find(({ path }) => !BINARY.test(path));
  if (needed)
    throw new Rejection(
      'missing_objects',
      `T0 lacks ${needed.path}, which is no binary that only single tests may need`,
    );
  const without = new Set(absent.map(({ oid }) => oid));
  const layer = await prepareLayer(
    cacheDirectory,
    layerName(candidate, without),
    async (draft) => {
      const tree = join(draft, 'tree');
      await atT0(candidate, { repository, draft, signal }, async (source, commit) => {
        await materialiseTree(source, commit, tree, { without, signal });
        await freshRepository(source, commit, join(tree, '.git'), { without, signal });
      });
      await packDirectory(tree, join(draft, 'repo.tar.gz'), { signal });
    },
    { signal },
  );
  const t0Directory = join(layer, 'tree');
  if (absent.length > 0)
    progress?.(`T0 lacks ${absent.length} files that the source does not hold, such as ${absent[0]?.path}`);
  return {
    t0Directory,
    repoTar: join(layer, 'repo.tar.gz'),
    projectNames: await candidate.ecosystem.projectNames(t0Directory),
    absent: absent.map(({ path }) => path).sort(),
  };
}

/** Hands a commit on that has the tree of T0: the base, or one that is made for it and is gone afterwards. */
async function atT0(
  { base, removed }: Candidate,
  { repository, draft, signal }: Pick<MineContext, 'repository' | 'signal'> & { draft: string },
  use: (source: Repository, commit: string) => Promise<void>,
): Promise<void> {
  if (!removed) return use(repository, base);
  const gitDirectory = join(draft, 't0.git');
  const changed = await withChange(repository, { base, change: removed, gitDirectory }, signal);
  try {
    await use(changed, changed.commit);
  } finally {
    await changed.objects.close();
    await rm(gitDirectory, { recursive: true, force: true });
  }
}

function layerName({ base, removed }: Candidate, without: ReadonlySet<string>): string {
  const parts = [...(removed ? [digestChange(removed)] : []), ...[...without].sort()];
  return parts.length === 0 ? `tree-${base}` : `tree-${base}-${sha256(parts.join('\n')).slice(0, 16)}`;
}

function buildEnvironment(
  { ecosystem, t0 }: Candidate,
  { t0Directory, command }: Pick<Built, 't0Directory' | 'command'>,
  { provider, cacheDirectory, signal, progress, timed = (_stage, work) => work() }: MineContext,
): Promise<PreparedEnvironment> {
  progress?.('environment');
  return timed('environment', () =>
    ecosystem.buildEnvironment({ treeDirectory: t0Directory, t0, command, provider, cacheDirectory, signal }),
  );
}
