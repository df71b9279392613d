import type { Definition } from '../ecosystems/source-facet.ts';
import type { SourceToken } from '../ecosystems/source-tokens.ts';

/** Longer ones are cut in instructions by leaving them out. */
const MAX_LENGTH = 200;
const OPENS = /^[([{]$/;
const CLOSES = /^[)\]}]$/;

/**
 * How a function that a source defines is called: `parse(text, *, strict=False)`; for a parameter, the function that
 * takes it. Null for what is no function, and for a list of parameters that is too long or never ends.
 */
export function signatureOf(tokens: readonly SourceToken[], { name, kind, line }: Definition): string | null {
  const at = tokens.findIndex((token) => token.kind === 'name' && token.text === name && token.line === line);
  if (at < 0) return null;
  if (kind !== 'parameter') return callOf(tokens, { name, open: openAfter(tokens, at) });
  const open = openAround(tokens, at);
  const owner = tokens[open - 1];
  if (owner?.kind !== 'name') return null;
  const isConstructor = owner.text === '__init__' || owner.text === 'constructor';
  return callOf(tokens, { name: isConstructor ? classAround(tokens, open) : owner.text, open });
}

/** Index of the parenthesis that begins the parameters of what is named there; -1 without any. */
function openAfter(tokens: readonly SourceToken[], at: number): number {
  let next = at + 1;
  // `parse = async function (…)`, `parse: (…) =>`
  if (/^[=:]$/.test(tokens[next]?.text ?? '')) {
    next += 1;
    while (/^(?:async|function|\*)$/.test(tokens[next]?.text ?? '')) next += 1;
    if (tokens[next]?.text !== '(') return -1;
    const after = tokens[closeOf(tokens, next) + 1]?.text ?? '';
    return tokens[next - 1]?.text === 'function' || /^(?:=>|:|\{)$/.test(after) ? next : -1;
  }
  if (tokens[next]?.text === '<') while (next < tokens.length && tokens[next]?.text !== '(') next += 1;
  return tokens[next]?.text === '(' ? next : -1;
}

function openAround(tokens: readonly SourceToken[], at: number): number {
  let depth = 0;
  for (let index = at; index >= 0; index -= 1) {
    const token = tokens[index];
    if (token?.kind !== 'punctuation') continue;
    if (CLOSES.test(token.text)) depth += 1;
    else if (OPENS.test(token.text) && depth > 0) depth -= 1;
    else if (token.text === '(') return index;
  }
  return -1;
}

function classAround(tokens: readonly SourceToken[], at: number): string {
  for (let index = at; index > 0; index -= 1)
    if (tokens[index - 1]?.text === 'class' && tokens[index - 1]?.kind === 'name') return tokens[index]?.text ?? '';
  return 'constructor';
}

function closeOf(tokens: readonly SourceToken[], open: number): number {
  let depth = 0;
  for (let index = open; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token?.kind !== 'punctuation') continue;
    if (OPENS.test(token.text)) depth += 1;
    if (CLOSES.test(token.text)) depth -= 1;
    if (depth === 0) return index;
  }
  return -1;
}

function callOf(tokens: readonly SourceToken[], { name, open }: { name: string; open: number }): string | null {
  const close = open < 0 ? -1 : closeOf(tokens, open);
  if (close < 0) return null;
  const inside = tokens.slice(open + 1, close);
  const own = /^(?:self|cls)$/.test(inside[0]?.text ?? '') ? inside.slice(inside[1]?.text === ',' ? 2 : 1) : inside;
  const text = `${name}(${print(own)})`;
  return text.length > MAX_LENGTH ? null : text;
}

function print(tokens: readonly SourceToken[]): string {
  let text = '';
  for (const [index, token] of tokens.entries()) {
    if (token.text === ',' && index === tokens.length - 1) break;
    const own = token.kind === 'string' ? JSON.stringify(token.text) : token.text;
    const previous = tokens[index - 1];
    const isWord = previous !== undefined && previous.kind === 'name' && /^[\w$"]/.test(own);
    const spaced =
      previous !== undefined && (/^(?:,|:|=>|->|\||&)$/.test(previous.text) || /^(?:=>|->|\||&)$/.test(own));
    text += `${isWord || spaced ? ' ' : ''}${own}`;
  }
  return text;
}
