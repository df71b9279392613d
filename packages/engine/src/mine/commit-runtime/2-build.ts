import { join } from 'node:path';
import type { TestCommand } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import type { PreparedEnvironment } from '../../ecosystems/ecosystem.ts';
import { packDirectory } from '../../files/tar.ts';
import { freshRepository } from '../../git/fresh-repository.ts';
import type { ImportedRepository } from '../../git/import-repository.ts';
import { materialiseTree } from '../../git/materialise-tree.ts';
import { prepareLayer } from '../../store/prepare-layer.ts';
import { Rejection, type Candidate } from '../candidate.ts';

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
}

/** T0 with its environment: everything that proving and writing a task needs. */
export interface Built extends Rebuilt { environment: PreparedEnvironment }

/** Stage 2a: the repository at T0, not scrubbed but made anew from T0's objects. Cheap, so that what its text decides is decided first. */
export async function rebuild(candidate: Candidate, { repository, cacheDirectory }: BuildOptions): Promise<Rebuilt> {
  const layer = await prepareLayer(cacheDirectory, `base-${candidate.parent}`, async (draft) => {
    const tree = join(draft, 'tree');
    await materialiseTree(repository, candidate.parent, tree);
    await freshRepository(repository, candidate.parent, join(tree, '.git'));
    await packDirectory(tree, join(draft, 'repo.tar.gz'));
  });
  const t0Directory = join(layer, 'tree');
  const command = await candidate.ecosystem.testCommand(t0Directory);
  if (!command) throw new Rejection('no_runner', 'no test runner is named at T0');
  return { t0Directory, repoTar: join(layer, 'repo.tar.gz'), command, projectNames: await candidate.ecosystem.projectNames(t0Directory) };
}

/** Stage 2b: its dependencies as of T0, installed in a sandbox whose only way out is the package lane. */
export async function build(candidate: Candidate, rebuilt: Rebuilt, { provider, cacheDirectory, signal, log }: BuildOptions): Promise<Built> {
  const environment = await candidate.ecosystem.buildEnvironment({
    treeDirectory: rebuilt.t0Directory, t0: candidate.t0, command: rebuilt.command, provider, cacheDirectory, ...(signal ? { signal } : {}), ...(log ? { log } : {}),
  });
  return { ...rebuilt, environment };
}
