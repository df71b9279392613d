/*
 * Reads JavaScript and TypeScript sources and writes what the parser makes of each: its tokens, without comments and
 * layout. Standard input: {"sources": [{"path", "text"}]}. Standard output: for each source a list of strings, or null
 * when it does not parse. What it reads is foreign; it runs in a sandbox.
 */
import { readFileSync } from 'node:fs';
import { parse } from '@babel/parser';

const COMMENTS = new Set(['CommentBlock', 'CommentLine']);

function pluginsFor(path) {
  if (/\.[cm]?ts$/.test(path)) return ['typescript', 'decorators-legacy'];
  if (/\.tsx$/.test(path)) return ['typescript', 'jsx', 'decorators-legacy'];
  return ['jsx', 'flow', 'decorators-legacy'];
}

/** A string by its value, whatever its quotes; everything else as it stands. */
function textOf({ type, value, start, end }, text) {
  if (type.label === 'string') return JSON.stringify(value);
  return type.label === 'eof' ? null : text.slice(start, end);
}

/** Leaves out the comma before a closing bracket, unless it makes a hole. */
function withoutLastCommas(tokens) {
  return tokens.filter((token, index) => {
    const [before, after] = [tokens[index - 1], tokens[index + 1]];
    return !(token === ',' && /^[)\]}]$/.test(after ?? '') && !/^[,[]$/.test(before ?? ''));
  });
}

function tokensOf({ path, text }) {
  try {
    const { tokens } = parse(text, {
      sourceType: 'unambiguous',
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      tokens: true,
      plugins: pluginsFor(path),
    });
    const kept = tokens.filter(({ type }) => !COMMENTS.has(type));
    return withoutLastCommas(
      kept.map((token) => textOf(token, text)).filter((token) => token !== null && token !== ''),
    );
  } catch {
    return null;
  }
}

const { sources } = JSON.parse(readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(sources.map(tokensOf)));
