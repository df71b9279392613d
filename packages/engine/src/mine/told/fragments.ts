import type { SentenceSource } from '@assay/protocol';

const FOLDER =
  /(?:^|\/)(?:newsfragments?|news(?:\.d)?|changes|changelog\.d|changelog\/(?:next|fragments)|towncrier|releasenotes\/notes)\/[^/]+$/i;
/** Kinds of fragments that are about nothing which users notice. */
const UNNOTICED =
  /\.(?:misc|docs?|dev|trivial|internal|chore|tests?|packaging|contrib|build|ci|infra|vendor)(?:\.\d+)?(?:\.(?:rst|md|txt))?$/i;
const KINDS =
  /\.(?:bug(?:fix)?|feature|features?|fix(?:ed)?|added?|change(?:d|s)?|breaking|removal|removed|deprecat(?:ed|ion)|improvement|enhancement|security|minor|major|patch|backward)(?:\.\d+)?(?:\.(?:rst|md|txt))?$/i;

/** What a file that a change adds is, if it tells the change to users: a news fragment or a changeset. */
export function fragmentKind(path: string): Extract<SentenceSource, 'news fragment' | 'changeset'> | null {
  const name = path.split('/').at(-1) ?? '';
  if (/^(?:readme|template|_template|config|index|unreleased)\b/i.test(name)) return null;
  if (/(?:^|\/)\.changeset\/[^/]+\.mdx?$/.test(path)) return 'changeset';
  if (!FOLDER.test(path) || UNNOTICED.test(name)) return null;
  return KINDS.test(name) || /^(?:\+|\d|[\w-]*\d)[\w.+-]*\.(?:rst|md|txt)$/i.test(name) ? 'news fragment' : null;
}

/** What a fragment says: without front matter, headings of kinds, and the mark of a list. */
export function fragmentText(content: string): string {
  return content
    .replace(/^\uFEFF?---\r?\n[\s\S]*?\r?\n---\r?\n?/, '')
    .trim()
    .replace(/^(?:[-*+]|#{1,6})\s+/, '')
    .slice(0, 4000);
}
