import { maskRust } from './mask-rust.ts';

/** How a submission declares the function that is to be called. */
export interface RustFunction {
  /** How to name it. */
  path: string;
  /** The type whose method it is, when it needs a value of that. */
  receiver: string | null;
  /** Types of the parameters as they are written. */
  parameters: string[];
  /** The function itself is generic. */
  generic: boolean;
}

interface Place {
  at: number;
  holder: string | null;
}

/** The declaration that `functionName` means, free or in an `impl`, or null. */
export function findRustFunction(source: string, functionName: string): RustFunction | null {
  const masked = maskRust(source);
  const parts = functionName.split('.');
  const name = parts.at(-1) ?? '';
  const wanted = parts.length > 1 ? (parts.at(-2) ?? '') : null;
  const places = declarations(masked, name);
  const place =
    wanted === null
      ? (places.find(({ holder }) => holder === null) ??
        places.find(({ holder }) => holder === 'Solution') ??
        places[0])
      : places.find(({ holder }) => holder === wanted);
  return place ? readDeclaration(masked, place, name) : null;
}

/** Returns the position of `fn name`, at the top level or directly inside an `impl`. */
function declarations(masked: string, name: string): Place[] {
  const found: Place[] = [];
  const headers: string[] = [];
  let header = 0;
  const pattern = new RegExp(`[{};]|\\bfn\\s{1,50}(?:r#)?${name.replace(/\$/g, '\\$')}(?![\\p{L}\\p{Nd}_])`, 'gu');
  for (const match of masked.matchAll(pattern)) {
    if (match[0].startsWith('fn')) {
      const holder = headers.length === 0 ? null : implOf(headers.at(-1) ?? '');
      if (headers.length === 0 || (headers.length === 1 && holder !== null))
        found.push({ at: match.index + match[0].length, holder });
      continue;
    }
    if (match[0] === '{') headers.push(masked.slice(Math.max(header, match.index - 500), match.index));
    if (match[0] === '}') headers.pop();
    header = match.index + 1;
  }
  return found;
}

function implOf(header: string): string | null {
  return /(?:^|\s)impl\b/.test(header)
    ? (/(?:\bfor\s+|\bimpl\s*(?:<[^>]{0,200}>)?\s*)([A-Za-z_]\w*)(?:<[^>]{0,200}>)?\s*$/.exec(
        header.replace(/\bwhere\b[\s\S]*$/, ''),
      )?.[1] ?? null)
    : null;
}

function readDeclaration(masked: string, { at, holder }: Place, name: string): RustFunction | null {
  let from = at + (/^\s{0,50}/.exec(masked.slice(at, at + 50))?.[0].length ?? 0);
  let generic = false;
  if (masked[from] === '<') {
    const end = closing(masked, from);
    generic = masked
      .slice(from + 1, end)
      .split(',')
      .some((parameter) => !parameter.trim().startsWith("'") && parameter.trim() !== '');
    from = end + 1 + (/^\s{0,50}/.exec(masked.slice(end + 1, end + 51))?.[0].length ?? 0);
  }
  if (masked[from] !== '(') return null;
  const parameters = splitAtCommas(masked.slice(from + 1, closing(masked, from)));
  const takesSelf = /^(?:&\s*(?:'\w+\s+)?)?(?:mut\s+)?self\b/.test(parameters[0] ?? '');
  return {
    path: holder === null ? name : takesSelf ? name : `${holder}::${name}`,
    receiver: takesSelf ? holder : null,
    parameters: (takesSelf ? parameters.slice(1) : parameters).map((parameter) =>
      parameter
        .slice(parameter.indexOf(':') + 1)
        .replace(/'\w+\s*/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
    ),
    generic,
  };
}

const OPENING = '([{<';
const CLOSING = ')]}>';

/**
 * Returns where the bracket that opens here is closed, or the end of the text. The `>` of an arrow closes nothing.
 */
function closing(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (OPENING.includes(character)) depth += 1;
    if (CLOSING.includes(character) && !(character === '>' && text[at - 1] === '-')) depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (OPENING.includes(text[at] ?? '')) at = closing(text, at);
    if (text[at] !== ',') continue;
    parts.push(text.slice(start, at));
    start = at + 1;
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
