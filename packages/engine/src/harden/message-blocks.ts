/**
 * A piece of a message. Paragraphs and list items are one line each, however they were wrapped; code keeps its lines.
 */
export interface MessageBlock {
  kind: 'paragraph' | 'item' | 'heading' | 'code';
  text: string;
  /** Marker of a list item, `- ` or `1. `, with its indentation. */
  marker: string;
}

const ITEM = /^(\s*(?:[-*+]|\d{1,3}[.)])\s+|-(?=[A-Za-z]{3,} \w))(\S.*)$/;

/** Splits the body of a commit message, which is more or less Markdown, into blocks. */
export function messageBlocks(body: string): MessageBlock[] {
  const blocks: MessageBlock[] = [];
  // A quoted message is read like any other; `>>>` is a prompt.
  const lines = body
    .split('\n')
    .map((line) => line.replace(/^ {0,3}>{1,2}(?!>) ?/, '').replace(/^(\s*)[•‣◦▪●·]\s+/, '$1- '));
  let open: MessageBlock | null = null;
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const fence = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (fence !== undefined) {
      const end = lines.findIndex((other, at) => at > index && other.trim().startsWith(fence));
      const last = end < 0 ? lines.length - 1 : end;
      blocks.push({ kind: 'code', text: lines.slice(index, last + 1).join('\n'), marker: '' });
      index = last;
      open = null;
      continue;
    }
    const block: MessageBlock | null =
      line.trim() === ''
        ? null
        : breaksOff(open, lines[index - 1] ?? '', line)
          ? plain(line)
          : startOf(line, lines[index + 1] ?? '', open, index === 0 || (lines[index - 1] ?? '').trim() === '');
    if (line.trim() === '') open = null;
    else if (block === null && open !== null) open.text += open.kind === 'code' ? `\n${line}` : ` ${line.trim()}`;
    else if (block !== null) {
      blocks.push(block);
      open = block.kind === 'heading' ? null : block;
      if (block.kind === 'heading' && /^\s*(?:={3,}|-{3,})\s*$/.test(lines[index + 1] ?? '')) index += 1;
    }
  }
  return blocks;
}

/** Lines are wrapped at these widths, or not at all. */
const WRAPPED = { least: 66, most: 80 };

/** Whether a line of the open paragraph ends where nobody had to wrap it, and the next begins anew. */
function breaksOff(open: MessageBlock | null, line: string, next: string): boolean {
  if (open?.kind !== 'paragraph') return false;
  const [word = ''] = next.trim().split(/\s/, 1);
  const { length } = line.trimEnd();
  const isWrapped = length + 1 + word.length > WRAPPED.least && length <= WRAPPED.most;
  return !isWrapped && /^[A-Z]/.test(word) && /[\w`)]$/.test(line.trimEnd());
}

/** Returns the block that a line starts, or null when it continues the open one. */
function startOf(line: string, next: string, open: MessageBlock | null, afterBlank: boolean): MessageBlock | null {
  const item = ITEM.exec(line);
  const indented = /^(?: {4}|\t)/.test(line);
  if (open?.kind === 'code') return indented ? null : plain(line);
  if (item !== null && (!indented || open?.kind === 'item'))
    return { kind: 'item', text: item[2] ?? '', marker: item[1] === '-' ? '- ' : (item[1] ?? '') };
  if (indented && afterBlank && open === null) return { kind: 'code', text: line, marker: '' };
  if (/^#{1,6}\s+\S/.test(line) || /^(?:\*\*|__)[^*_]+(?:\*\*|__):?\s*$/.test(line))
    return { kind: 'heading', text: line.trim(), marker: '' };
  if (afterBlank && /^\s*(?:={3,}|-{3,})\s*$/.test(next)) return { kind: 'heading', text: line.trim(), marker: '' };
  return open === null ? plain(line) : null;
}

function plain(line: string): MessageBlock {
  return { kind: 'paragraph', text: line.trim(), marker: '' };
}
