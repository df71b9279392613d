import { AssayError } from '@assay/protocol';
import type { Variant } from '../reference-app.ts';

/**
 * The files of a variant. Throws `IMPOSSIBLE` for an edit whose text does not occur exactly once: it would test
 * something else.
 */
export function applyEdits(
  files: Record<string, string>,
  { name, edits }: Pick<Variant, 'name' | 'edits'>,
): Record<string, string> {
  const edited = { ...files };
  for (const { file, find, replace } of edits) {
    const text = edited[file];
    if (text?.split(find).length !== 2)
      throw new AssayError('IMPOSSIBLE', {
        detail: `the variant ${name} edits ${file} at a text that is not there exactly once: ${find}`,
      });
    edited[file] = text.replace(find, () => replace);
  }
  return edited;
}
