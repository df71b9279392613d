import type { Definition } from '../source-facet.ts';
import type { SourceToken } from '../source-tokens.ts';

/** See `SourceFacet.definitions`. */
export function pythonDefinitions(tokens: readonly SourceToken[]): Definition[] {
  const found: Definition[] = [];
  const blocks: { indent: number; keyword: string }[] = [];
  let depth = 0;
  let parameters = -1;
  let importing = false;
  for (const [index, token] of tokens.entries()) {
    const previous = tokens[index - 1];
    const next = tokens[index + 1];
    if (token.indent >= 0 && depth === 0) {
      while (blocks.length > 0 && (blocks.at(-1)?.indent ?? 0) >= token.indent) blocks.pop();
      importing = false;
    }
    if (token.text === '(' || token.text === '[' || token.text === '{') depth += 1;
    if (token.text === ')' || token.text === ']' || token.text === '}') {
      depth -= 1;
      if (depth < parameters) parameters = -1;
    }
    if (token.kind !== 'name') continue;
    const inside = blocks.at(-1)?.keyword;
    if (token.text === 'import' && depth === 0) importing = true;
    else if (importing && previous?.text !== '.' && token.text !== 'as')
      found.push({ name: token.text, kind: 'import', line: token.line });
    else if (previous?.kind === 'name' && (previous.text === 'def' || previous.text === 'class')) {
      const own = tokens[index - 2]?.text === 'async' ? tokens[index - 2] : previous;
      found.push({
        name: token.text,
        kind: inside === 'class' ? 'member' : inside === 'def' ? 'local' : 'global',
        line: token.line,
      });
      blocks.push({ indent: own?.indent ?? 0, keyword: previous.text });
      if (previous.text === 'def') parameters = depth + 1;
    } else if (depth === parameters && /^(?:\(|,|\*|\*\*)$/.test(previous?.text ?? ''))
      found.push({ name: token.text, kind: 'parameter', line: token.line });
    else if (depth === 0 && /^(?:=|:=)$/.test(next?.text ?? ''))
      found.push({
        name: token.text,
        kind: previous?.text === '.' || inside === 'class' ? 'member' : inside === 'def' ? 'local' : 'global',
        line: token.line,
      });
    else if (
      depth === 0 &&
      next?.text === ':' &&
      token.indent >= 0 &&
      !/^(?:else|try|finally|except|lambda)$/.test(token.text)
    )
      found.push({ name: token.text, kind: inside === 'class' ? 'member' : 'local', line: token.line });
    else if (
      /^(?:as|for)$/.test(previous?.text ?? '') ||
      (depth === 0 && next?.text === ',') ||
      (previous?.text === ',' && /^(?:=|in)$/.test(next?.text ?? '') && depth === 0)
    )
      found.push({ name: token.text, kind: 'local', line: token.line });
  }
  return found;
}
