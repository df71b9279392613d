/** How code hosts write the number of a pull request into the first line of a merge, or of a squashed commit. */
const SUBJECTS = [
  /^Merge pull request #(\d{1,9})\b/i,
  /^Merge pull request '.*' \(#(\d{1,9})\) from \S+/i,
  /^Merged in \S+ \(pull request #(\d{1,9})\)/i,
  /^Merged PR (\d{1,9}):/i,
  /\((?:[\w.-]+\/[\w.-]+)?[#!](\d{1,9})\)\s*$/,
];
/** How they write it below. */
const LINES = [
  /^See merge request (?:https?:\/\/)?\S*(?:!|\/merge_requests\/)(\d{1,9})[ \t]*$/gim,
  /^Reviewed-on: https?:\/\/\S+\/(?:pulls|pull|merge_requests)\/(\d{1,9})[ \t]*$/gim,
];

/** The number of the pull request that a commit says it brought, as code hosts write it; null without one. */
export function pullOf(message: string): number | null {
  const subject = message.trimStart().split('\n', 1)[0]?.trim() ?? '';
  const lines = LINES.flatMap((pattern) => [...message.matchAll(pattern)].slice(-1));
  const found = [...SUBJECTS.map((pattern) => pattern.exec(subject)), ...lines].find((match) => match !== null);
  const number = Number(found?.[1] ?? 0);
  return number > 0 ? number : null;
}
