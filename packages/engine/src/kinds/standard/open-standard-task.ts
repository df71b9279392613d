import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError, type Standard } from '@assay/protocol';
import { languageTools, type SandboxProvider } from '@assay/sandbox';
import { openT0, type OpenT0 } from '../../bundle/open-t0.ts';
import { readOptionalReference } from '../../bundle/read-task.ts';
import type { StandardTask } from '../../bundle/task.ts';
import type { PreparedEnvironment } from '../../ecosystems/ecosystem.ts';
import type { ChangeSet } from '@assay/files/change-set';
import { sha256 } from '@assay/files/content-digest';
import { parseStandard } from '@assay/judging/standards/parse-standard';

/** A standard task made ready for trials: what all of them share, read-only. */
export interface OpenStandardTask extends OpenT0 {
  task: StandardTask;
  standard: Standard;
  /**
   * The tools that an agent works with: node, python and what the answer's language needs, as far as this machine has
   * them.
   */
  environment: Pick<PreparedEnvironment, 'mounts' | 'env'>;
  /** Null when the bundle carries none. */
  reference: ChangeSet | null;
}

/** Throws `STANDARD_INVALID` and, when the document is not the one that task.toml names, `TASK_ALTERED`. */
export async function openStandardTask(
  task: StandardTask,
  { provider, cacheDirectory }: { provider: SandboxProvider; cacheDirectory: string },
): Promise<OpenStandardTask> {
  const path = join(task.directory, 'tests', 'standard.json');
  const bytes = await readFile(path);
  const { digest, type } = task.meta.standard;
  const standard = parseStandard(bytes, path);
  if (sha256(bytes) !== digest || standard.type !== type)
    throw new AssayError('TASK_ALTERED', { path: task.directory, detail: 'tests/standard.json is another document' });
  const { mounts, env } = await languageTools(
    [...new Set(['javascript', 'python', task.meta.language ?? 'javascript'] as const)],
    provider,
  );
  return {
    task,
    ...(await openT0(task, cacheDirectory)),
    standard,
    environment: { mounts: () => mounts, env },
    reference: await readOptionalReference(task),
  };
}
