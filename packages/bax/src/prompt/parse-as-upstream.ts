import type { AnswerForm, ParsedResponse } from './parsed-response.ts';

// Python's idea of a white space and of a word character, which is not JavaScript's
const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const FENCE = /```(?!bash)[\p{L}\p{N}_]+\n/gu;
const HEADING = new RegExp(`(?<![^\\n])###[${SPACE}]*([^]+?)(?![^\\n])`, 'g');
const IS_SPACE = new RegExp(`[${SPACE}]`);

/**
 * As BaxBench parses. Of an answer in one file the first fenced block with a language wins over everything, then the
 * first CODE tag. Of several files, paths in FILEPATH tags, then headings, go one by one with as many fenced blocks,
 * then with as many CODE tags.
 */
export function parseAsUpstream(response: string, { codeFile }: AnswerForm): ParsedResponse {
  const fenced = fencedBlocks(response);
  const tagged = taggedBlocks(response, '<CODE>', '</CODE>').map(clean);
  if (codeFile !== null) {
    const [code] = fenced.length > 0 ? fenced : tagged;
    return code === undefined
      ? { invalid: 'it has neither a fenced block with a language nor a CODE tag' }
      : { files: new Map([[codeFile, code]]) };
  }
  const tags = taggedBlocks(response, '<FILEPATH>', '</FILEPATH>');
  const headings = [...response.matchAll(HEADING)].map((match) => match[1] ?? '');
  for (const found of [tags, headings]) {
    const paths = found.map((text) => normalPath(clean(text)));
    if (paths.length === 0) continue;
    if (paths.length === fenced.length) return { files: zip(paths, fenced) };
    if (paths.length === tagged.length)
      return {
        files: zip(
          paths,
          tagged.map((code) => fencedBlocks(code)[0] ?? code),
        ),
      };
  }
  return {
    invalid: `${String(tags.length)} paths, ${String(headings.length)} headings, ${String(fenced.length)} fenced blocks and ${String(tagged.length)} CODE tags do not go together`,
  };
}

function fencedBlocks(text: string): string[] {
  const found: string[] = [];
  FENCE.lastIndex = 0;
  for (let opening = FENCE.exec(text); opening !== null; opening = FENCE.exec(text)) {
    const start = opening.index + opening[0].length;
    const end = text.indexOf('\n```', start);
    if (end === -1) break;
    found.push(clean(text.slice(start, end)));
    FENCE.lastIndex = end + '\n```'.length;
  }
  return found;
}

/** Texts of one character or more between tags, from left to right. */
function taggedBlocks(text: string, open: string, close: string): string[] {
  const found: string[] = [];
  for (let start = text.indexOf(open); start !== -1;) {
    const end = text.indexOf(close, start + open.length + 1);
    if (end === -1) break;
    found.push(text.slice(start + open.length, end));
    start = text.indexOf(open, end + close.length);
  }
  return found;
}

function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && IS_SPACE.test(text.charAt(start))) start += 1;
  while (end > start && IS_SPACE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function clean(text: string): string {
  let rest = strip(text);
  if (rest.startsWith('**')) rest = rest.slice(2);
  if (rest.endsWith('**')) rest = rest.slice(0, -2);
  return strip(rest);
}

/** As Python's pathlib prints it. */
function normalPath(text: string): string {
  const root = /^\/*/.exec(text)?.[0].length ?? 0;
  const names = text.split('/').filter((name) => name !== '' && name !== '.');
  return `${root === 0 ? '' : root === 2 ? '//' : '/'}${names.join('/')}` || '.';
}

function zip(paths: readonly string[], codes: readonly string[]): Map<string, string> {
  return new Map(paths.map((path, index) => [path, codes[index] ?? '']));
}
