import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, lstat, mkdir, readdir, readlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Mount } from '@assay/sandbox';

/**
 * The part of a repository that the code of a build can see. A build is cached by the digest of what it was shown, so
 * no repository can change another's result: both have shown the same bytes.
 */
export interface ShownTree {
  /** sha256 in hex over everything shown: paths, contents, executable bits, link targets. */
  readonly digest: string;
  readonly whole: boolean;
  /** Mounts the tree read-only at `target`. Files that must be written first go to `scratchDirectory` on the host. */
  mount(target: string, scratchDirectory: string): Promise<Mount[]>;
}

/** Shows only the given files, path to content. The paths must be safe, as those of a tree's listing are. */
export function showFiles(files: ReadonlyMap<string, string | Uint8Array>): ShownTree {
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash('sha256').update('files\n');
  for (const [path, content] of sorted) addEntry(hash, path, 'file', Buffer.from(content));
  return {
    digest: hash.digest('hex'),
    whole: false,
    mount: async (target, scratchDirectory) => {
      const source = join(scratchDirectory, 'shown');
      await mkdir(source);
      for (const [path, content] of sorted) {
        await mkdir(dirname(join(source, path)), { recursive: true });
        await writeFile(join(source, path), content, { flag: 'wx' });
      }
      return [{ kind: 'read-only', source, target }];
    },
  };
}

/** Shows a whole tree except its `.git`. Nothing may be running in the tree. */
export async function showWholeTree(tree: string): Promise<ShownTree> {
  const hash = createHash('sha256').update('whole\n');
  await addDirectory(hash, tree, '');
  return {
    digest: hash.digest('hex'),
    whole: true,
    mount: async (target) => {
      const hasGit = await access(join(tree, '.git')).then(
        () => true,
        () => false,
      );
      return [
        { kind: 'read-only', source: tree, target },
        ...(hasGit ? [{ kind: 'hidden', target: `${target}/.git` } as const] : []),
      ];
    },
  };
}

async function addDirectory(hash: Hash, tree: string, directory: string): Promise<void> {
  for (const name of (await readdir(join(tree, directory))).sort()) {
    const path = directory === '' ? name : `${directory}/${name}`;
    if (path === '.git') continue;
    const stats = await lstat(join(tree, path));
    if (stats.isDirectory()) {
      addEntry(hash, path, 'directory', Buffer.alloc(0));
      await addDirectory(hash, tree, path);
    } else if (stats.isSymbolicLink()) addEntry(hash, path, 'link', Buffer.from(await readlink(join(tree, path))));
    else if (stats.isFile()) {
      const kind = (stats.mode & 0o111) === 0 ? 'file' : 'program';
      addEntry(hash, path, kind, await digestOf(join(tree, path)));
    } else addEntry(hash, path, 'other', Buffer.alloc(0));
  }
}

async function digestOf(path: string): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest();
}

/** Lengths come first, so that no path or content can pass for the next entry. */
function addEntry(hash: Hash, path: string, kind: string, content: Uint8Array): void {
  hash.update(`${kind} ${Buffer.byteLength(path)} ${content.byteLength}\n${path}\n`).update(content);
}
