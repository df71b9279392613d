import { createTwoFilesPatch } from 'diff';
import type { FileChange } from '@assay/files/change-set';

/** A file before and after a change; null where there is none. */
export interface FileSides {
  path: string;
  before: Buffer | null;
  after: Pick<FileChange, 'content' | 'executable'> | null;
}

/** More differences than this are shown as everything removed and everything added. */
const MOST_DIFFERENCES = 5000;

/** Writes a change as a unified diff, for people and models. Bytes that are no text are only said to differ. */
export function diffOfChange(sides: readonly FileSides[]): string {
  return [...sides]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, before, after }) => {
      const mode = after?.executable === true ? '100755' : '100644';
      const header = before === null ? `new file mode ${mode}\n` : after === null ? `deleted file mode ${mode}\n` : '';
      return `diff --git a/${path} b/${path}\n${header}${patchOf(path, before, after?.content ?? null)}`;
    })
    .join('');
}

function patchOf(path: string, before: Buffer | null, after: Buffer | null): string {
  if ([before, after].some((content) => content?.includes(0))) return `Binary files differ\n`;
  const names = [before ? `a/${path}` : '/dev/null', after ? `b/${path}` : '/dev/null'] as const;
  const [old, fresh] = [before?.toString('utf8') ?? '', after?.toString('utf8') ?? ''];
  const patch = createTwoFilesPatch(...names, old, fresh, undefined, undefined, { maxEditLength: MOST_DIFFERENCES });
  if (patch !== undefined) return patch.slice(patch.indexOf('--- '));
  const [removed, added] = [old, fresh].map((text) => text.replace(/\n$/, '').split('\n')) as [string[], string[]];
  const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)];
  return `--- ${names[0]}\n+++ ${names[1]}\n@@ -1,${removed.length} +1,${added.length} @@\n${lines.join('\n')}\n`;
}
