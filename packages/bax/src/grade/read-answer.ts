import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { walkTree } from '@assay/files/walk-tree';
import { unsafePathReason } from '@assay/files/safe-path';
import { AssayError } from '@assay/protocol';
import type { FrameworkPrompt } from '../framework.ts';
import type { Profile } from '../profile.ts';
import { MAX_RESPONSE_BYTES, parseResponse } from '../prompt/parse-response.ts';
import type { UnusableAnswer } from '../prompt/parsed-response.ts';

export type AnswerFiles = Record<string, Uint8Array>;

const MAX_FILES = 2000;
const MAX_BYTES = 64 * 1024 * 1024;
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  ENOTDIR: 'a part of its path is no directory',
  EACCES: 'it may not be read',
  ELOOP: 'its links lead in a circle',
};
/** Directories that tools leave beside code. */
const NO_CODE = new Set(['.git', 'node_modules', '__pycache__', '.venv']);

/** As `readCodeDirectory`, for a path that a user gave, which may be a link. */
export async function readGivenDirectory(
  path: string,
  onSkipped?: (path: string, why: string) => void,
): Promise<AnswerFiles> {
  const place = await realpath(path).catch((error: unknown) => {
    throw unreadable(path, whyUnreadable(error));
  });
  return await readCodeDirectory(place, onSkipped);
}

/** A directory with an answer's files. Links and special files are left out, and told. Throws `ANSWER_UNREADABLE`. */
export async function readCodeDirectory(
  path: string,
  onSkipped?: (path: string, why: string) => void,
): Promise<AnswerFiles> {
  const entry = await lstat(path).catch((error: unknown) => {
    throw unreadable(path, whyUnreadable(error));
  });
  if (!entry.isDirectory()) throw unreadable(path, 'it is no directory');
  const files: AnswerFiles = {};
  let bytes = 0;
  for await (const found of walkTree(path, { enter: (_, name) => !NO_CODE.has(name), maxEntries: 20_000 })) {
    const why = 'skipped' in found ? found.skipped : unsafePathReason(found.path);
    if (why !== null) onSkipped?.(found.path, why);
    if (why !== null || 'skipped' in found) continue;
    bytes += found.size;
    if (bytes > MAX_BYTES || Object.keys(files).length >= MAX_FILES)
      throw unreadable(path, `it holds more than ${MAX_FILES} files or ${MAX_BYTES / 1024 / 1024} MiB`);
    const pieces: Buffer[] = [];
    found.read((piece) => pieces.push(Buffer.from(piece)));
    files[found.path] = Buffer.concat(pieces);
  }
  if (Object.keys(files).length === 0) throw unreadable(path, 'it holds no files');
  return files;
}

/**
 * A model's answer as text. Null when there is no code in it: that is the model's fault, and graded. Throws
 * `ANSWER_UNREADABLE`.
 */
export async function readResponse(
  path: string,
  framework: FrameworkPrompt,
  profile: Profile,
): Promise<{ files: AnswerFiles } | UnusableAnswer> {
  // A FIFO without a writer is not waited for.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw unreadable(path, whyUnreadable(error));
  });
  try {
    const entry = await file.stat();
    if (!entry.isFile())
      throw unreadable(path, entry.isDirectory() ? 'it is a directory. --code takes one' : 'it is no regular file');
    if (entry.size === 0) throw unreadable(path, 'it is empty');
    // One byte too many shows that there is more, however much that is.
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(entry.size, MAX_RESPONSE_BYTES + 1)));
    return filesOfResponse(buffer.toString('utf8', 0, bytesRead), framework, profile);
  } finally {
    await file.close();
  }
}

export function filesOfResponse(
  response: string,
  framework: FrameworkPrompt,
  profile: Profile,
): { files: AnswerFiles } | UnusableAnswer {
  const parsed = parseResponse(response, framework, profile);
  return 'invalid' in parsed
    ? parsed
    : { files: Object.fromEntries([...parsed.files].map(([name, text]) => [name, Buffer.from(text)])) };
}

/** Why the system did not open what a user named. */
export function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS[code] ?? (code === '' ? 'it cannot be opened' : `it cannot be opened (${code})`);
}

const unreadable = (path: string, detail: string): AssayError => new AssayError('ANSWER_UNREADABLE', { path, detail });
