import type { SentenceSource } from '@assay/protocol';
import { splitSentences } from '../../harden/sentences.ts';
import type { ChangedFile } from '../../git/changed-files.ts';
import type { Repository } from '../../git/repository.ts';
import type { SourceText } from '../candidate.ts';
import { addedEntries, CHANGELOG } from './changelog-entries.ts';
import { fragmentKind, fragmentText } from './fragments.ts';
import { addedVersionNotes } from './version-notes.ts';

const MAX_FRAGMENT = 64 * 1024;
const MAX_CHANGELOG = 256 * 1024 * 1024;
const NOTED = /\.(?:rst|md|txt|py|pyi)$/i;

/**
 * Reads what a change says of itself to users: entries of changelogs, news fragments, changesets, and notes of versions
 * in documentation. Files that cannot be read say nothing. Throws `MISSING_OBJECT`.
 */
export async function toldBeside(repository: Repository, files: readonly ChangedFile[]): Promise<SourceText[]> {
  const told: SourceText[] = [];
  for (const file of files) {
    if (file.after?.kind !== 'file' && file.after?.kind !== 'executable') continue;
    const found = await textsOf(repository, file);
    if (found) told.push(...found.texts.map((text) => ({ source: found.source, text: titled(text) })));
  }
  const order: SentenceSource[] = ['changeset', 'news fragment', 'changelog', 'version note'];
  return told.sort((a, b) => order.indexOf(a.source) - order.indexOf(b.source));
}

/** Puts the first sentence of a paragraph on a line of its own. */
function titled(text: string): string {
  const [paragraph = ''] = text.split(/\n(?=\s*\n|\s*[-*+]\s)/, 1);
  const [first = '', ...others] = splitSentences(paragraph.replace(/\s*\n\s*/g, ' '));
  return [first, others.join(' '), text.slice(paragraph.length).trim()].filter((part) => part !== '').join('\n\n');
}

async function textsOf(
  repository: Repository,
  { path, status, before, after }: ChangedFile,
): Promise<{ source: SentenceSource; texts: string[] } | null> {
  const read = async (side: ChangedFile['after'], most: number): Promise<Buffer | null> => {
    if (!side || side.kind === 'link' || side.kind === 'gitlink') return null;
    const content = await repository.objects.readTyped(side.oid, 'blob');
    return content.length > most ? null : content;
  };
  const kind = fragmentKind(path);
  if (kind !== null) {
    const content = status === 'added' ? await read(after, MAX_FRAGMENT) : null;
    return content === null ? null : { source: kind, texts: [fragmentText(content.toString('utf8'))] };
  }
  if (CHANGELOG.test(path)) {
    const content = await read(after, MAX_CHANGELOG);
    if (content === null) return null;
    return { source: 'changelog', texts: addedEntries(await read(before, MAX_CHANGELOG), content) };
  }
  if (!NOTED.test(path)) return null;
  const content = await read(after, MAX_FRAGMENT * 32);
  return content === null
    ? null
    : { source: 'version note', texts: addedVersionNotes(await read(before, MAX_FRAGMENT * 32), content) };
}
