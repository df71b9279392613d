import { ECOSYSTEMS } from '../../ecosystems/index.ts';
import type { Ecosystem } from '../../ecosystems/ecosystem.ts';
import { changedFiles, type ChangedFile } from '../../git/changed-files.ts';
import type { Repository } from '../../git/repository.ts';
import { rejectionOf } from '../candidate.ts';
import { codeKinds, ecosystemOfChange } from '../parts-of-change.ts';

/** Whether a change without tests counts as one. Default: no. */
export interface FixKind {
  untested?: boolean | undefined;
}

/** The ecosystem whose code and tests some files are; undefined where there is none. */
export function ecosystemOfFix(files: readonly ChangedFile[], { untested }: FixKind = {}): Ecosystem | undefined {
  const paths = files.map(({ path }) => path);
  if (untested) return ecosystemOfChange(paths);
  return ECOSYSTEMS.find((each) => {
    const { source, test } = codeKinds(each, paths);
    return source && test;
  });
}

/** Lists the changes of a commit; null where the repository lacks what tells them. */
export async function knownChanges(
  repository: Repository,
  parent: string,
  commit: string,
): Promise<ChangedFile[] | null> {
  try {
    return await changedFiles(repository, parent, commit);
  } catch (error) {
    if (rejectionOf(error)?.reason === 'missing_objects') return null;
    throw error;
  }
}
