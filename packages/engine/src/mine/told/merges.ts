/** The first line that git and code hosts give to a merge. */
const MERGE_LINE =
  /^Merge(?:d)? (?:pull request|branch|branches|remote|tag|PR|MR|change|commit|in|into|from|upstream|\S+ into)\b/i;
/** What stands below it and tells nothing. */
const NO_TEXT = /^(?:see merge request|reviewed-by|approved-by|\* |# ?conflicts|conflicts:|closes? #\d+\s*$)/i;
const TRAILER = /^(?:[A-Z][\w-]+-by|change-id|see merge request|reviewed-on)\b.*$/gim;

/** Names of lines that are maintained, and not made for one thing. */
const MAINTAINED = String.raw`(?:[\w.-]+\/)*(?:main|master|trunk|dev|devel|develop|development|next|canary|stable|staging|production|maint\w*|lts|(?:release|maint\w*|stable)[-\/_.]\S+|v?\d+(?:\.(?:\d+|x))*(?:[-_.](?:x|dev|stable|maint\w*|branch|release))?)`;
const OF_MAINTAINED = [
  new RegExp(String.raw`^Merge(?:d)? (?:remote(?:-tracking)? )?(?:branch|branches|tag|commit)? ?'${MAINTAINED}'`, 'i'),
  new RegExp(String.raw`^Merge(?:d)? (?:branch |tag |upstream[ /])?${MAINTAINED}(?: (?:in|into|to|of|from)\b|$)`, 'i'),
  /^Merge(?:d)? (?:remote-tracking )?branch '[^']+' of /i,
  /^Merge pull request #\d+ from [\w.-]+\/(?:stable|maint\w*|release[-/_.]\S+|v?\d+(?:\.\d+)*\.x)$/i,
];

/** Whether a merge takes over a line that is maintained beside its own: a release, the upstream, a later version. */
export function mergesMaintained(message: string): boolean {
  const [first = ''] = message.trim().split('\n');
  return OF_MAINTAINED.some((pattern) => pattern.test(first.trim()));
}

/** What a merge says of what it brought, as code hosts write it below the first line or in its place; null without. */
export function mergeText(message: string): string | null {
  const [first = '', ...rest] = message.trim().split('\n');
  const lines = MERGE_LINE.test(first) ? rest : [first, ...rest];
  const start = lines.findIndex((line) => line.trim() !== '');
  const title = lines[start]?.trim() ?? '';
  if (title === '' || NO_TEXT.test(title)) return null;
  const body = lines
    .slice(start + 1)
    .join('\n')
    .replace(TRAILER, '')
    .trim();
  return body === '' ? title : `${title}\n\n${body}`;
}

/** The title that a merge gives to what it brought; null without one. */
export const mergeTitle = (message: string): string | null => mergeText(message)?.split('\n', 1)[0] ?? null;
