import { addedRuns, decodeText } from '../../harden/added-lines.ts';

/** More of a file than this changed is a rewrite, and no entry. */
const MAX_CHANGED = 64 * 1024;
/** A commit with more entries rolls up those of others. */
const MAX_ENTRIES = 5;
const MAX_ENTRY = 2000;

/** Files that list what changed in each release. */
export const CHANGELOG =
  /(?:^|\/)(?:CHANGE(?:S|[-_ ]?LOG)|HISTORY|NEWS|RELEASE[-_ ]?NOTES?|WHATS?[-_ ]?NEW)(?![a-z])[^/]*$/i;

const ITEM = /^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?=\S)/;
const UNDERLINE = /^\s*([=\-~^"'*+#])\1{2,}\s*$/;
/** Lines that order entries: releases, dates, kinds of changes. */
const HEADING =
  /^\s*(?:#{1,6}\s.*|\*{0,2}\[?(?:unreleased|v?\d+\.\d+\S*|version\s+v?\d\S*|release\s+v?\d\S*)\]?\b.*|(?:released|date)\b.{0,40}|(?:\*\*|__)?(?:added|changed|fixed|removed|deprecated|security|features?|bug ?fixes|bugs fixed|improvements?|other(?: changes)?|changes|support|breaking(?: changes)?|backwards?[- ]incompatible\b.*|internal|documentation|docs|misc\w*|(?:major|minor|patch|notable|more|internal) changes|(?:new )?features|highlights|enhancements?)(?:\*\*|__)?\s*:?\s*)$/i;

/**
 * Reads the entries that a change adds to a changelog, in Markdown, reStructuredText or plain text; `before` is null for
 * a new file. Only what differs is looked at, however long the file is. An entry whose first line stood there before is
 * none of this change. Empty for a change that adds many, such as a release.
 */
export function addedEntries(before: Buffer | null, after: Buffer): string[] {
  const [old, now] = changedPart(before ?? Buffer.alloc(0), after);
  if (old.length > MAX_CHANGED || now.length > MAX_CHANGED) return [];
  const [oldText, newText] = [decodeText(old), decodeText(now)];
  if (oldText === null || newText === null) return [];
  const entries = addedRuns(oldText, newText).flatMap(({ lines }) => entriesOf(lines));
  return entries.length > MAX_ENTRIES ? [] : entries;
}

/** Cuts off the lines that both texts begin and end with. */
function changedPart(before: Buffer, after: Buffer): [Buffer, Buffer] {
  const least = Math.min(before.length, after.length);
  const head = lineStart(after, commonHead(before, after, least));
  let tail = 0;
  while (tail < least - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const end = after.indexOf(0x0a, after.length - tail);
  const keep = end === -1 ? 0 : after.length - 1 - end;
  return [before.subarray(head, before.length - keep), after.subarray(head, after.length - keep)];
}

function commonHead(before: Buffer, after: Buffer, least: number): number {
  const step = 1 << 16;
  let at = 0;
  while (at + step <= least && before.compare(after, at, at + step, at, at + step) === 0) at += step;
  while (at < least && before[at] === after[at]) at += 1;
  return at;
}

const lineStart = (text: Buffer, at: number): number => (at === 0 ? 0 : text.lastIndexOf(0x0a, at - 1) + 1);

/** Sorts added lines into entries: items of a list, or paragraphs. */
function entriesOf(lines: readonly string[]): string[] {
  const entries: string[][] = [];
  let open: { entry: string[]; indent: number } | null = null;
  // Lines before the first item or empty line belong to an entry that began before them, unless they start in the margin.
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1] ?? '';
    if (line.trim() === '') {
      if (open?.indent === -1) open = null;
      continue;
    }
    if (HEADING.test(line) || UNDERLINE.test(line) || UNDERLINE.test(next)) {
      open = null;
      continue;
    }
    const item = ITEM.exec(line);
    const indent = /^\s*/.exec(line)?.[0].length ?? 0;
    if (item && (open === null || indent <= open.indent || open.indent === -1)) {
      open = { entry: [line.slice(item[0].length)], indent: item[1]?.length ?? 0 };
      entries.push(open.entry);
    } else if (/^\s*(?:```|~~~|\.\. code)/.test(line)) open = null;
    else if (open !== null) open.entry.push(item ? `\n- ${line.slice(item[0].length)}` : line.trim());
    else if (indent === 0) {
      open = { entry: [line.trim()], indent: -1 };
      entries.push(open.entry);
    }
  }
  return entries
    .map((entry) => entry.join(' ').replace(/ +\n/g, '\n').trim().slice(0, MAX_ENTRY))
    .filter((entry) => /[A-Za-z]{3}/.test(entry));
}
