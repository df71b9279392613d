import { symlinkSync, lchownSync } from 'node:fs';
import { chmod, chown } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { assertEmptyDirectory, makeDirectory, writeNewFile, type Owner } from './apply-change.ts';
import { escapingLinkReason } from './link-targets.ts';
import { unsafePathReason, type PathRules } from './safe-path.ts';

export interface TreeWriterOptions extends PathRules {
  owner: Owner;
  /** Makes the error for a path that is refused. */
  refuse: (path: string, detail: string) => Error;
}

/**
 * Fills a new directory with files, directories and links from a foreign list. Each path is made once and by us, and
 * links only at the end, so that nothing is ever written through one.
 */
export class TreeWriter {
  readonly #root: string;
  readonly #options: TreeWriterOptions;
  readonly #made = new Set<string>();
  readonly #directories = new Set<string>(['.']);
  readonly #links = new Map<string, string>();

  private constructor(root: string, options: TreeWriterOptions) {
    this.#root = root;
    this.#options = options;
  }

  /** Throws `UNSAFE_PATH` when the directory holds something. */
  static async open(root: string, options: TreeWriterOptions): Promise<TreeWriter> {
    await assertEmptyDirectory(root);
    return new TreeWriter(root, options);
  }

  async addDirectory(path: string): Promise<void> {
    this.#assertPath(path);
    if (this.#made.has(path)) throw this.#options.refuse(path, 'it comes twice');
    await this.#ensureDirectory(path);
  }

  async addFile(path: string, content: Uint8Array, executable: boolean): Promise<void> {
    writeNewFile(await this.place(path), content, executable, this.#options.owner);
  }

  addLink(path: string, target: string): void {
    this.#assertNew(path);
    this.#links.set(path, target);
  }

  /** Checks and reserves a path and makes its parents. The caller makes the file. */
  async place(path: string): Promise<string> {
    this.#assertNew(path);
    await this.#ensureDirectory(posix.dirname(path));
    return join(this.#root, path);
  }

  /** Makes the links and finishes the root. */
  async close(): Promise<void> {
    const { owner, refuse } = this.#options;
    for (const path of this.#links.keys()) {
      const reason = escapingLinkReason(path, this.#links);
      if (reason !== null) throw refuse(path, reason);
      for (const parent of parentsOf(path)) if (this.#links.has(parent)) throw refuse(path, 'it lies behind a link');
      await this.#ensureDirectory(posix.dirname(path));
      if (this.#directories.has(path)) throw refuse(path, 'it is a link and a directory');
    }
    for (const [path, target] of this.#links) {
      symlinkSync(target, join(this.#root, path));
      if (owner) lchownSync(join(this.#root, path), owner.uid, owner.gid);
    }
    if (owner) await chown(this.#root, owner.uid, owner.gid);
    await chmod(this.#root, 0o755);
  }

  #assertPath(path: string): void {
    const reason = unsafePathReason(path, this.#options);
    if (reason !== null) throw this.#options.refuse(path, reason);
  }

  #assertNew(path: string): void {
    this.#assertPath(path);
    if (this.#made.has(path) || this.#directories.has(path)) throw this.#options.refuse(path, 'it comes twice');
    this.#made.add(path);
  }

  async #ensureDirectory(path: string): Promise<void> {
    if (this.#directories.has(path)) return;
    if (this.#made.has(path)) throw this.#options.refuse(path, 'it is a file and a directory');
    await this.#ensureDirectory(posix.dirname(path));
    await makeDirectory(join(this.#root, path), this.#options.owner);
    this.#directories.add(path);
  }
}

function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (let parent = posix.dirname(path); parent !== '.'; parent = posix.dirname(parent)) parents.push(parent);
  return parents;
}
