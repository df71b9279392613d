import type { AnswerForm, ParsedResponse } from './parsed-response.ts';
import { scanAnswer, type Block, type Piece } from './scan-answer.ts';

/** Tags of fenced blocks by language. What has another tag is taken only where none of these is. */
const FENCE_TAGS: Readonly<Record<AnswerForm['language'], readonly string[]>> = {
  Python: ['python', 'py', 'python3'],
  JavaScript: ['javascript', 'js', 'node', 'typescript', 'ts'],
  Go: ['go', 'golang'],
  PHP: ['php'],
  Ruby: ['ruby', 'rb'],
  Rust: ['rust', 'rs'],
};

/**
 * Parses an answer by its order: a path belongs to the block that follows it, CODE tags win over fenced blocks, and
 * what is no code is left out. docs/bax.md tells each difference from upstream's parser.
 */
export function parseRepaired(response: string, form: AnswerForm): ParsedResponse {
  const answer = withoutReasoning(response.replaceAll('\r\n', '\n'));
  if (answer === null) return { invalid: 'it ends while the model still reasons' };
  // tags that follow each other in one line begin lines of their own
  const pieces = scanAnswer(answer.replace(/<\/(FILEPATH|CODE)>[ \t]*(?=<(?:FILEPATH|CODE)>)/g, '</$1>\n'));
  const hasTags = pieces.some((piece) => piece.kind === 'block' && piece.form === 'code');
  const cut = pieces.find((piece) => piece.kind === 'cut' && (piece.what !== 'a fenced block' || !hasTags));
  if (cut?.kind === 'cut') return { invalid: `it is cut off: ${cut.what} has no end` };
  return form.codeFile === null ? severalFiles(pieces) : oneFile(pieces, form.codeFile, FENCE_TAGS[form.language]);
}

function withoutReasoning(text: string): string | null {
  const end = text.indexOf('</think>');
  if (end !== -1) return text.slice(end + '</think>'.length);
  return text.trimStart().startsWith('<think>') ? null : text;
}

/** Picks one file from the CODE tags, else from the fenced blocks: the last with the file's name, else the longest. */
function oneFile(pieces: readonly Piece[], codeFile: string, tags: readonly string[]): ParsedResponse {
  const all = pieces.filter((piece) => piece.kind === 'block' && piece.content !== '') as Block[];
  const tagged = all.filter((block) => block.form === 'code');
  const fenced = all.filter((block) => block.form === 'fence');
  const ofLanguage = fenced.filter((block) => tags.includes(block.tag));
  const [candidates = []] = [tagged, ofLanguage, fenced].filter((blocks) => blocks.length > 0);
  const named = candidates.filter((block) => block.path === codeFile);
  const best =
    named.at(-1) ??
    candidates.reduce<Block | undefined>(
      (longest, block) => (longest !== undefined && longest.content.length >= block.content.length ? longest : block),
      undefined,
    );
  return best === undefined
    ? { invalid: 'the response holds no code' }
    : { files: new Map([[codeFile, best.content]]) };
}

function severalFiles(pieces: readonly Piece[]): ParsedResponse {
  const byTags = pieces.some((piece) => piece.kind === 'path' && piece.form === 'tag');
  const files = new Map<string, string>();
  let open: { path: string; block: Block | null } | null = null;
  const close = (): string | null => {
    if (open === null) return null;
    if (open.block !== null) files.set(open.path, open.block.content);
    return open.block === null && byTags ? open.path : null;
  };
  for (const piece of pieces) {
    if (piece.kind === 'path' && (piece.form === 'tag') === byTags) {
      const lacking = close();
      if (lacking !== null) return { invalid: `no content follows the path ${JSON.stringify(lacking.slice(0, 200))}` };
      open = { path: piece.path, block: null };
    } else if (
      piece.kind === 'block' &&
      open !== null &&
      (open.block === null || (open.block.form === 'fence' && piece.form === 'code'))
    ) {
      open.block = piece;
    }
  }
  const lacking = close();
  if (lacking !== null) return { invalid: `no content follows the path ${JSON.stringify(lacking.slice(0, 200))}` };
  return files.size === 0 ? { invalid: 'it holds no file with a path' } : { files };
}
