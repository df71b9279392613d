/** A piece of an answer other than words for a person. */
export type Piece = Block | { kind: 'path'; path: string; form: 'tag' | 'heading' } | { kind: 'cut'; what: string };

export interface Block {
  kind: 'block';
  form: 'code' | 'fence';
  /** Language of a fence in lower case; empty without one, and for CODE tags. */
  tag: string;
  /** The path that stands last before it, if any. */
  path: string | null;
  /** Without blank lines around it, ending in a line feed; empty when nothing is in it. */
  content: string;
}

/** Fences of commands to type, which are never a file. */
const SHELL = new Set(['bash', 'sh', 'shell', 'zsh', 'console', 'terminal', 'shell-session']);

/** Finds tags at the ends of lines, fences, and headings that are paths. Linear in the length of the answer. */
export function scanAnswer(answer: string): Piece[] {
  const lines = answer.split('\n');
  const pieces: Piece[] = [];
  let path: string | null = null;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const found: Found | null = pathTag(lines, at) ?? codeTag(lines, at, path) ?? fence(lines, at, path);
    if (found !== null) {
      if (found.piece?.kind === 'path') path = found.piece.path;
      if (found.piece !== null) pieces.push(found.piece);
      at = found.last;
      continue;
    }
    const heading = headingPath(line);
    if (heading === null) continue;
    path = heading;
    pieces.push({ kind: 'path', path, form: 'heading' });
  }
  return pieces;
}

/** A piece that ends with the line `last`. */
interface Found {
  piece: Piece | null;
  last: number;
}

function pathTag(lines: readonly string[], at: number): Found | null {
  const first = (lines[at] ?? '').trim();
  const open = first.indexOf('<FILEPATH>');
  if (open !== 0 && !(open > 0 && first.endsWith('</FILEPATH>'))) return null;
  let text = first.slice(open + '<FILEPATH>'.length);
  // a path has one line, and tags may stand on lines of their own
  for (let last = at; last < lines.length && last <= at + 4; last += 1) {
    if (last > at) text += `\n${lines[last] ?? ''}`;
    const close = text.indexOf('</FILEPATH>');
    if (close !== -1) return { piece: { kind: 'path', path: cleanPath(text.slice(0, close)), form: 'tag' }, last };
  }
  return { piece: { kind: 'cut', what: 'a <FILEPATH>' }, last: at };
}

function codeTag(lines: readonly string[], at: number, path: string | null): Found | null {
  const first = (lines[at] ?? '').trim();
  if (!first.startsWith('<CODE>') && !first.endsWith('<CODE>')) return null;
  const body: string[] = [];
  for (let last = at; last < lines.length; last += 1) {
    const line = lines[last] ?? '';
    const text =
      last === at
        ? line.slice(
            (first.startsWith('<CODE>') ? line.indexOf('<CODE>') : line.lastIndexOf('<CODE>')) + '<CODE>'.length,
          )
        : line;
    const close = text.trimStart().startsWith('</CODE>')
      ? text.indexOf('</CODE>')
      : text.trimEnd().endsWith('</CODE>')
        ? text.lastIndexOf('</CODE>')
        : -1;
    body.push(close === -1 ? text : text.slice(0, close));
    if (close !== -1)
      return { piece: { kind: 'block', form: 'code', tag: '', path, content: contentOf(withoutFence(body)) }, last };
  }
  return { piece: { kind: 'cut', what: 'a <CODE>' }, last: lines.length };
}

function fence(lines: readonly string[], at: number, path: string | null): Found | null {
  const opening = openingFence(lines[at] ?? '');
  if (opening === null) return null;
  const { marks, tag } = opening;
  const next = nextFilled(lines, at + 1);
  // a fence around the whole answer says nothing, and neither does what is left of it at the end
  if (next === null || /^<(FILEPATH|CODE)>/.test(next.trimStart())) return { piece: null, last: at };
  for (let last = at + 1; last < lines.length; last += 1) {
    if (!closes(lines[last] ?? '', marks)) continue;
    const content = contentOf(lines.slice(at + 1, last));
    return { piece: SHELL.has(tag) ? null : { kind: 'block', form: 'fence', tag, path, content }, last };
  }
  return { piece: { kind: 'cut', what: 'a fenced block' }, last: lines.length };
}

function openingFence(line: string): { marks: string; tag: string } | null {
  const marks = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
  if (marks === undefined) return null;
  const rest = line.trim().slice(marks.length);
  return rest.includes('`') ? null : { marks, tag: (rest.trim().split(/\s/, 1)[0] ?? '').toLowerCase() };
}

function closes(line: string, marks: string): boolean {
  const text = line.trim();
  return text.length >= marks.length && text === (marks[0] ?? '').repeat(text.length);
}

function nextFilled(lines: readonly string[], from: number): string | null {
  for (let at = from; at < lines.length; at += 1) if ((lines[at] ?? '').trim() !== '') return lines[at] ?? '';
  return null;
}

/** Models put fences inside CODE tags. */
function withoutFence(body: readonly string[]): readonly string[] {
  const first = body.findIndex((line) => line.trim() !== '');
  const last = body.findLastIndex((line) => line.trim() !== '');
  const opening = openingFence(body[first] ?? '');
  return opening !== null && last > first && closes(body[last] ?? '', opening.marks)
    ? body.slice(first + 1, last)
    : body;
}

function contentOf(lines: readonly string[]): string {
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return first === -1 ? '' : `${lines.slice(first, last + 1).join('\n')}\n`;
}

/**
 * The path that a heading or a line in bold consists of, with or without "File:" and a number before it; null for other
 * lines.
 */
function headingPath(line: string): string | null {
  if (line.length > 300 || !/^\s*(#{1,6}\s|\*\*)/.test(line)) return null;
  const text = cleanPath(line.replace(/^\s*#+/, ''))
    .replace(/^\d+[.)]\s*/, '')
    .replace(/^(file|path|filename|filepath):\s*/i, '');
  const path = cleanPath(text);
  return /^[\w@.+-]+(\/[\w@.+-]+)*$/.test(path) && /[./]/.test(path) ? path : null;
}

function cleanPath(text: string): string {
  // longer than any path, and refused as that
  if (text.length > 5000) return text;
  const bare = text
    .trim()
    .replace(/^[*`"']+/, '')
    .replace(/[*`"':]+$/, '')
    .trim();
  return bare
    .split('/')
    .filter((name, index) => name !== '.' && (name !== '' || index === 0))
    .join('/');
}
