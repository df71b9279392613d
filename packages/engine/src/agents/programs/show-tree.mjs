// What of a repository is shown to a model that is asked once: all paths, and the files that the instruction is most
// likely about.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const LEFT_OUT = new Set(['.git', 'node_modules', '__pycache__', '.venv', 'venv', 'dist', 'build', 'target']);
const MOST_PATHS = 2000;
const FILE_BYTES = 64 * 1024;
const READ_FILES = 5000;

/**
 * @param {string} root
 * @param {string} instruction
 * @param {number} bytes of all contents together
 */
export function showTree(root, instruction, bytes) {
  const paths = [...walk(root, '')].sort();
  const words = [...new Set(instruction.match(/[A-Za-z_]\w{3,}/g) ?? [])];
  const files = paths.slice(0, READ_FILES).flatMap((path) => candidate(root, path, words));
  files.sort((a, b) => b.score - a.score || a.content.length - b.content.length);
  let left = bytes;
  const shown = [];
  for (const { path, content } of files) {
    if (content.length > left) continue;
    left -= content.length;
    shown.push({ path, content });
  }
  const more = paths.length > MOST_PATHS ? `\n… and ${paths.length - MOST_PATHS} more` : '';
  const texts = shown.map(
    ({ path, content }) =>
      `${path}\n${fence(content)}\n${content}${content.endsWith('\n') ? '' : '\n'}${fence(content)}`,
  );
  return `The files of the repository:\n\n${paths.slice(0, MOST_PATHS).join('\n')}${more}\n\n${texts.length < paths.length ? 'Some of them' : 'Their contents'}:\n\n${texts.join('\n\n')}\n`;
}

function* walk(root, below) {
  for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) yield* walk(root, path);
    else if (entry.isFile()) yield path;
  }
}

function candidate(root, path, words) {
  const file = join(root, path);
  if (statSync(file).size > FILE_BYTES) return [];
  const bytes = readFileSync(file);
  if (bytes.includes(0)) return [];
  const content = bytes.toString('utf8');
  return [{ path, content, score: words.filter((word) => path.includes(word) || content.includes(word)).length }];
}

/** Longer than any in the text. */
function fence(content) {
  const longest = Math.max(2, ...(content.match(/`{3,}/g) ?? []).map(({ length }) => length));
  return '`'.repeat(longest + 1);
}
