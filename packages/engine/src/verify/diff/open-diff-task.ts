import { languageTools, type SandboxProvider } from '@assay/sandbox';
import { AssayError } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import { openT0, type OpenT0 } from '../../bundle/open-t0.ts';
import { readReference } from '../../bundle/read-task.ts';
import type { DiffTask } from '../../bundle/task.ts';
import type { CompareFacet } from '../../ecosystems/compare-facet.ts';
import { ecosystemOf } from '../../ecosystems/index.ts';
import type { Ecosystem } from '../../ecosystems/ecosystem.ts';
import type { TokenReader } from './read-tokens.ts';

/** A task whose submissions are compared with the reference, made ready for trials, which share it read-only. */
export interface OpenDiffTask extends OpenT0 {
  task: DiffTask;
  ecosystem: Ecosystem;
  facet: CompareFacet;
  /** The interpreters that an agent works with: nothing of the repository is installed. */
  environment: TokenReader['environment'];
  reference: ChangeSet;
}

/** Throws `TASK_INVALID` for an ecosystem whose sources nobody can compare. */
export async function openReadDiffTask(
  task: DiffTask,
  { provider, cacheDirectory }: { provider: SandboxProvider; cacheDirectory: string },
): Promise<OpenDiffTask> {
  const ecosystem = ecosystemOf(task.meta.ecosystem);
  const { compare } = ecosystem;
  if (!compare)
    throw new AssayError('TASK_INVALID', {
      file: `${task.directory}/task.toml`,
      line: 1,
      field: 'metadata.assay.ecosystem',
      detail: `sources of ${ecosystem.id} cannot be compared`,
    });
  const { mounts, env } = await languageTools(['javascript', 'python'], provider);
  return {
    task,
    ...(await openT0(task, cacheDirectory)),
    ecosystem,
    facet: compare,
    environment: { mounts: () => mounts, env },
    reference: await readReference(task),
  };
}
