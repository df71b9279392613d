import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const EXTENSION = '(c|m)?(j|t)s';
/** What `node --test` takes when no file is named. */
const DEFAULT = new RegExp(
  `(^|/)(test/.+\\.${EXTENSION}|test-[^/]+\\.${EXTENSION}|[^/]+[._-]test\\.${EXTENSION}|test\\.${EXTENSION})$`,
);

/** Test files of a tree, relative to it, sorted. Patterns are globs, files, or directories; none means node's own. */
export function findNodeTests(root, patterns) {
  const files = [...walk(root, '')].sort();
  if (patterns.length === 0) return files.filter((file) => DEFAULT.test(file) && !file.endsWith('.d.ts'));
  const wanted = patterns.map((pattern) => globToRegExp(pattern.replace(/^\.\//, '').replace(/\/$/, '')));
  return files.filter((file) => wanted.some((regExp) => regExp.test(file)));
}

function* walk(root, directory) {
  for (const entry of readdirSync(join(root, directory), { withFileTypes: true })) {
    const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
    if (entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git') yield* walk(root, path);
    else if (entry.isFile()) yield path;
  }
}

/** `**`, `*`, `?`, `{a,b}`, `[abc]`, and `@(a|b)`, `?(a)`; a directory stands for what is in it. */
function globToRegExp(glob) {
  let source = '';
  let braces = 0;
  const closing = [];
  for (let index = 0; index < glob.length; index += 1) {
    const character = glob[index];
    if (glob.startsWith('**/', index)) {
      source += '(?:[^/]+/)*';
      index += 2;
    } else if (glob.startsWith('**', index)) {
      source += '.*';
      index += 1;
    } else if ('@?+*'.includes(character) && glob[index + 1] === '(') {
      source += '(?:';
      closing.push(character === '@' ? ')' : `)${character}`);
      index += 1;
    } else if (character === ')' && closing.length > 0) source += closing.pop();
    else if (character === '|' && closing.length > 0) source += '|';
    else if (character === '*') source += '[^/]*';
    else if (character === '?') source += '[^/]';
    else if (character === '{') {
      source += '(?:';
      braces += 1;
    } else if (character === '}' && braces > 0) {
      source += ')';
      braces -= 1;
    } else if (character === ',' && braces > 0) source += '|';
    else source += character.replace(/[.+^$()|\\]/, '\\$&');
  }
  return new RegExp(`^${source}(?:/.*\\.${EXTENSION})?$`);
}
