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

/** T0, rebuilt: everything that proving and writing a task needs of it. */
export interface Built {
  /** Tree of T0 with a `.git` that holds one root commit. */
  t0Directory: string;
  /** The same as an archive, for the bundle. */
  repoTar: string;
  command: TestCommand;
  environment: PreparedEnvironment;
  projectNames: string[];
}

/** Stage 2: rebuilds the repository at T0 (not scrubbed: made anew from T0's objects) and the environment as of T0. */
export async function build(candidate: Candidate, { repository, provider, cacheDirectory, signal, log }: BuildOptions): Promise<Built> {
  const layer = await prepareLayer(cacheDirectory, `base-${candidate.parent}`, async (draft) => {
    const tree = join(draft, 'tree');
    await materialiseTree(repository, candidate.parent, tree);
    await freshRepository(repository, candidate.parent, join(tree, '.git'));
    await packDirectory(tree, join(draft, 'repo.tar.gz'));
  });
  const t0Directory = join(layer, 'tree');
  const { ecosystem } = candidate;
  const command = await ecosystem.testCommand(t0Directory);
  if (!command) throw new Rejection('no_runner', 'no test runner is named at T0');
  const environment = await ecosystem.buildEnvironment({
    treeDirectory: t0Directory, t0: candidate.t0, command, provider, cacheDirectory, ...(signal ? { signal } : {}), ...(log ? { log } : {}),
  });
  return { t0Directory, repoTar: join(layer, 'repo.tar.gz'), command, environment, projectNames: await ecosystem.projectNames(t0Directory) };
}
