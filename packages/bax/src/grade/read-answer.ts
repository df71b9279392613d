import { readFile, stat } from 'node:fs/promises';
import { walkTree } from '@assay/engine/files/walk-tree';
import { unsafePathReason } from '@assay/engine/files/safe-path';
import { AssayError } from '@assay/protocol';
import type { FrameworkPrompt } from '../framework.ts';
import type { Profile } from '../profile.ts';
import { parseResponse } from '../prompt/parse-response.ts';

export type AnswerFiles = Record<string, Uint8Array>;

const MAX_FILES = 2000;
const MAX_BYTES = 64 * 1024 * 1024;
/** What tools leave beside code. */
const NO_CODE = new Set(['.git', 'node_modules', '__pycache__', '.venv']);

/** A directory with an answer's files. Links and special files are left out. Throws `ANSWER_UNREADABLE`. */
export async function readCodeDirectory(path: string): Promise<AnswerFiles> {
  const entry = await stat(path).catch(() => null);
  if (!entry?.isDirectory()) throw unreadable(path, entry ? 'it is no directory' : 'there is no such directory');
  const files: AnswerFiles = {};
  let bytes = 0;
  for await (const found of walkTree(path, { enter: (_, name) => !NO_CODE.has(name), maxEntries: 20_000 })) {
    if ('skipped' in found || unsafePathReason(found.path) !== null) continue;
    bytes += found.size;
    if (bytes > MAX_BYTES || Object.keys(files).length >= MAX_FILES) throw unreadable(path, `it holds more than ${MAX_FILES} files or ${MAX_BYTES / 1024 / 1024} MiB`);
    const pieces: Buffer[] = [];
    found.read((piece) => pieces.push(Buffer.from(piece)));
    files[found.path] = Buffer.concat(pieces);
  }
  if (Object.keys(files).length === 0) throw unreadable(path, 'it holds no files');
  return files;
}

/** A model's answer as text. Null when there is no code in it: that is the model's fault, and graded. Throws `ANSWER_UNREADABLE`. */
export async function readResponse(path: string, framework: FrameworkPrompt, profile: Profile): Promise<{ files: AnswerFiles } | { invalid: string }> {
  const content = await readFile(path).catch((error: unknown) => {
    throw unreadable(path, error instanceof Error && 'code' in error ? String(error.code) : 'it cannot be opened');
  });
  if (content.length === 0) throw unreadable(path, 'it is empty');
  return filesOfResponse(content.toString('utf8'), framework, profile);
}

export function filesOfResponse(response: string, framework: FrameworkPrompt, profile: Profile): { files: AnswerFiles } | { invalid: string } {
  const parsed = parseResponse(response, framework, profile);
  return 'invalid' in parsed ? parsed : { files: Object.fromEntries([...parsed.files].map(([name, text]) => [name, Buffer.from(text)])) };
}

const unreadable = (path: string, detail: string): AssayError => new AssayError('ANSWER_UNREADABLE', { path, detail });
