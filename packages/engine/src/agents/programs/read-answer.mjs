// What an answer of a model wants written: files in fenced blocks, each with its path, and unified diffs.

/** @typedef {{path: string, content: string}} WholeFile */

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*(.*?)\s*$/;
const PATH = /^(?:\/workspace\/|\.\/)?((?:[\w@+.-]+\/)*[\w@+.-]*[\w@+-])$/;

/** Fenced blocks: the line before, the words after the fence, and what is inside. */
export function blocksOf(answer) {
  const blocks = [];
  const lines = answer.replaceAll('\r\n', '\n').split('\n');
  let before = '';
  for (let at = 0; at < lines.length; at += 1) {
    const [, fence, info] = FENCE.exec(lines[at]) ?? [];
    if (fence === undefined) {
      if (lines[at].trim() !== '') before = lines[at].trim();
      continue;
    }
    const end = lines.findIndex((line, index) => index > at && closes(line, fence));
    const inside = lines.slice(at + 1, end === -1 ? undefined : end);
    blocks.push({
      before,
      info: info ?? '',
      content: inside.length === 0 ? '' : `${inside.join('\n')}\n`,
      closed: end !== -1,
    });
    before = '';
    at = end === -1 ? lines.length : end;
  }
  return blocks;
}

function closes(line, fence) {
  const trimmed = line.trim();
  return trimmed.length >= fence.length && trimmed === fence[0].repeat(trimmed.length);
}

/** @returns {WholeFile[]} */
export function filesOf(answer) {
  return blocksOf(answer).flatMap((block) => {
    const path = block.closed && !isDiff(block) ? pathOf(block) : null;
    return path === null ? [] : [{ path, content: block.content }];
  });
}

/** Texts of unified diffs, fenced or not. */
export function diffsOf(answer) {
  const fenced = blocksOf(answer)
    .filter(isDiff)
    .map(({ content }) => content);
  if (fenced.length > 0) return fenced;
  return /^--- .*\n\+\+\+ .*\n@@ /m.test(answer) ? [answer] : [];
}

/** The one file that was asked for: the block with its path, else the longest, else all of the answer. */
export function oneFileOf(answer, path) {
  const blocks = blocksOf(answer).filter(({ content }) => content.trim() !== '');
  const named = blocks.filter((block) => pathOf(block) === path);
  const isText = /\.(?:md|txt)$/.test(path);
  const longest =
    isText && named.length === 0
      ? null
      : (named.length > 0 ? named : blocks).reduce(
          (best, block) => (best === null || block.content.length > best.content.length ? block : best),
          null,
        );
  if (longest !== null) return longest.content;
  return answer.trim() === '' ? null : `${answer.trimEnd()}\n`;
}

function isDiff({ info, content }) {
  return /^(?:diff|patch)\b/.test(info) || /^(?:diff --git .*\n(?:.*\n){0,6}?)?--- .*\n\+\+\+ /.test(content);
}

/**
 * `src/a.py`, `python src/a.py`, `python:src/a.py` or `path=src/a.py` after the fence; or a line before it that is a
 * path.
 */
function pathOf({ before, info }) {
  const words = info
    .split(/[\s:]+/)
    .map((word) => word.replace(/^(?:path|file|filename|title)=/, '').replace(/^["'{]+|["'}]+$/g, ''));
  const inInfo = words.find((word) => /[./]/.test(word) && PATH.test(word));
  const line = before
    .replace(/^(?:[#>*-]+\s+)*/, '')
    .replace(/^\**(?:file|path)\**:?\**\s*/i, '')
    .replace(/^[*`"']+|[*`"':]+$/g, '');
  const found = PATH.exec(inInfo ?? line)?.[1];
  return found !== undefined && !found.split('/').includes('..') && (inInfo !== undefined || /[./]/.test(found))
    ? found
    : null;
}
