import { patchId } from '../../git/patch-id.ts';
import type { Repository } from '../../git/repository.ts';
import { rejectionOf } from '../candidate.ts';
import { MAX_FILES, pathsOf } from '../candidate-of-commits.ts';
import { partOf } from '../parts-of-change.ts';
import { ecosystemOfFix, knownChanges, type FixKind } from './is-fix.ts';

/**
 * What tells a fix from others: equal for the same change made elsewhere in the history. Null for a commit that is none.
 * `walked` learns what it changes, whatever that is.
 */
export async function patchOfFix(
  repository: Repository,
  { parent, commit }: { parent: string; commit: string },
  { walked, untested }: FixKind & { walked?: ((paths: string[]) => void) | undefined } = {},
): Promise<string | null> {
  const files = await knownChanges(repository, parent, commit);
  if (files === null) return commit;
  walked?.(files.map(({ path }) => path));
  const ecosystem = ecosystemOfFix(files, { untested });
  if (!ecosystem) return null;
  const part = partOf(ecosystem);
  const paths = pathsOf(files.filter(({ path }) => part(path) !== null));
  if (paths.length > 2 * MAX_FILES) return commit;
  try {
    return (await patchId(repository, parent, commit, paths)) ?? commit;
  } catch (error) {
    if (rejectionOf(error)?.reason === 'missing_objects') return commit;
    throw error;
  }
}
