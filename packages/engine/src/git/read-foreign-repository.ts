import { constants } from 'node:fs';
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { AssayError } from '@assay/protocol';
import { isOid } from './object-reader.ts';

/** A foreign repository read as data: git never runs in it and its configuration is never obeyed. */
export interface ForeignRepository {
  /** The commit that HEAD names. */
  head: string;
  /** Full names of tags, with the objects they name. */
  tags: Map<string, string>;
  /** Object directories: its own first, then those named by its alternates, each once. */
  objectDirectories: string[];
}

const MAX_ALTERNATES = 16;
const MAX_SYMBOLIC = 5;
const SMALL_FILE = 64 * 1024;
const LARGE_FILE = 256 * 1024 * 1024;

/**
 * Reads a work tree, a bare repository or a linked work tree. Throws `NOT_A_REPOSITORY`, `EMPTY_REPOSITORY`,
 * `SHALLOW_REPOSITORY` or `UNSUPPORTED_REPOSITORY`.
 */
export async function readForeignRepository(path: string): Promise<ForeignRepository> {
  const own = await findGitDirectory(path);
  const common = await findCommonDirectory(own, path);
  await assertSupported(common, path);
  const packed = await readPackedRefs(common);
  const head = await resolveHead(own, common, packed);
  if (head === null) throw new AssayError('EMPTY_REPOSITORY', { path });
  return {
    head,
    tags: await readTags(common, packed),
    objectDirectories: await findObjectDirectories(join(common, 'objects'), path),
  };
}

async function findGitDirectory(path: string): Promise<string> {
  const inside = join(path, '.git');
  const kind = await stat(inside).catch(() => null);
  if (kind?.isDirectory() && (await looksLikeGit(inside))) return inside;
  if (kind?.isFile()) {
    const target = /^gitdir: (.+?)\r?\n*$/s.exec((await readSmall(inside)) ?? '')?.[1];
    if (target !== undefined && (await stat(join(resolve(path, target), 'HEAD')).catch(() => null))?.isFile())
      return resolve(path, target);
  }
  if (await looksLikeGit(path)) return path;
  throw new AssayError('NOT_A_REPOSITORY', { path });
}

async function looksLikeGit(directory: string): Promise<boolean> {
  const kinds = await Promise.all(
    ['HEAD', 'objects', 'refs', 'packed-refs'].map((name) => stat(join(directory, name)).catch(() => null)),
  );
  const [head, objects, refs, packed] = kinds;
  return Boolean(head?.isFile() && objects?.isDirectory() && (refs?.isDirectory() || packed?.isFile()));
}

/** Finds where a linked work tree keeps its refs and objects. */
async function findCommonDirectory(own: string, path: string): Promise<string> {
  const text = (await readSmall(join(own, 'commondir')))?.trim();
  const common = text ? resolve(own, text) : own;
  const objects = await stat(join(common, 'objects')).catch(() => null);
  if (!objects?.isDirectory()) throw new AssayError('NOT_A_REPOSITORY', { path });
  return common;
}

async function assertSupported(common: string, path: string): Promise<void> {
  const shallow = await readSmall(join(common, 'shallow'));
  if (shallow !== null && shallow.trim() !== '') throw new AssayError('SHALLOW_REPOSITORY', { path });
  const extensions = extensionsOf((await readSmall(join(common, 'config'))) ?? '');
  const format = extensions.get('objectformat');
  if (format !== undefined && format !== 'sha1')
    throw new AssayError('UNSUPPORTED_REPOSITORY', { path, detail: `the object format ${format.slice(0, 20)}` });
  const storage = extensions.get('refstorage');
  const reftable = await stat(join(common, 'reftable')).catch(() => null);
  if (reftable?.isDirectory() || (storage !== undefined && !storage.startsWith('files'))) {
    throw new AssayError('UNSUPPORTED_REPOSITORY', { path, detail: 'the ref storage reftable' });
  }
}

/** Parses the `extensions` section of a configuration, in lower case. Nothing else in it matters here. */
function extensionsOf(config: string): Map<string, string> {
  const values = new Map<string, string>();
  let inside = false;
  for (const line of config.split('\n')) {
    const section = /^\s*\[\s*([^\]\s"]*)/.exec(line)?.[1];
    if (section !== undefined) inside = section.toLowerCase() === 'extensions';
    const value = /^(?:\s*\[[^\]]*\])?\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*"?([^"\s;#]*)/.exec(line);
    if (inside && value?.[1] !== undefined) values.set(value[1].toLowerCase(), (value[2] ?? '').toLowerCase());
  }
  return values;
}

async function readPackedRefs(common: string): Promise<Map<string, string>> {
  const refs = new Map<string, string>();
  for (const line of ((await readSmall(join(common, 'packed-refs'), LARGE_FILE)) ?? '').split('\n')) {
    const match = /^([0-9a-f]{40}) (refs\/.+)$/.exec(line);
    if (match?.[1] !== undefined && match[2] !== undefined && isRefName(match[2])) refs.set(match[2], match[1]);
  }
  return refs;
}

async function resolveHead(own: string, common: string, packed: Map<string, string>): Promise<string | null> {
  let text = (await readSmall(join(own, 'HEAD')))?.trim() ?? '';
  for (let hop = 0; hop < MAX_SYMBOLIC; hop += 1) {
    if (isOid(text)) return text;
    const name = /^ref:\s*(.+)$/.exec(text)?.[1];
    if (name === undefined || !isRefName(name)) return null;
    text = (await readSmall(join(common, name)))?.trim() ?? packed.get(name) ?? '';
  }
  return null;
}

async function readTags(common: string, packed: Map<string, string>): Promise<Map<string, string>> {
  const tags = new Map([...packed].filter(([name]) => name.startsWith('refs/tags/')));
  const walk = async (name: string): Promise<void> => {
    for (const entry of await readdir(join(common, name), { withFileTypes: true }).catch(() => [])) {
      const inner = `${name}/${entry.name}`;
      if (!isRefName(inner)) continue;
      if (entry.isDirectory()) await walk(inner);
      const oid = entry.isFile() ? (await readSmall(join(common, inner)))?.trim() : undefined;
      if (oid !== undefined && isOid(oid)) tags.set(inner, oid);
    }
  };
  await walk('refs/tags');
  return tags;
}

/** Stricter than git; none of the refs that it rejects are needed. */
function isRefName(name: string): boolean {
  return (
    name.length <= 1024 &&
    /^refs\/[^\p{Cc}\s~^:?*[\\]+$/u.test(name) &&
    name
      .split('/')
      .every(
        (part) =>
          part !== '' &&
          !part.startsWith('.') &&
          !part.endsWith('.lock') &&
          !part.endsWith('.') &&
          !part.includes('..'),
      )
  );
}

async function findObjectDirectories(own: string, path: string): Promise<string[]> {
  const found = new Set<string>();
  const pending = [own];
  for (let directory = pending.shift(); directory !== undefined; directory = pending.shift()) {
    const real = await realpath(directory).catch(() => null);
    if (real === null || found.has(real) || !(await lstat(real)).isDirectory()) continue;
    found.add(real);
    if (found.size > MAX_ALTERNATES)
      throw new AssayError('UNSUPPORTED_REPOSITORY', { path, detail: `more than ${MAX_ALTERNATES} alternates` });
    const alternates = (await readSmall(join(real, 'info', 'alternates'))) ?? '';
    for (const line of alternates.split('\n')) {
      if (line === '' || line.startsWith('#')) continue;
      const text = unquote(line);
      pending.push(isAbsolute(text) ? text : join(real, text));
    }
  }
  return [...found];
}

/** Undoes git's quoting of odd bytes in paths, which is that of C. */
function unquote(line: string): string {
  if (!/^".*"$/.test(line)) return line;
  try {
    const text: unknown = JSON.parse(line);
    return typeof text === 'string' ? text : line;
  } catch {
    return line;
  }
}

/** Reads a small regular file, or returns null. Nothing else is opened, so a FIFO or a device cannot block us. */
async function readSmall(path: string, limit = SMALL_FILE): Promise<string | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY).catch(() => null);
  if (file === null) return null;
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > limit) return null;
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
