import { lstatSync, mkdirSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AssayError } from '@assay/protocol/errors';
import { laneMounts } from '../lanes/lane-mounts.ts';
import { insidePath, type ResolvedOptions } from '../resolve-options.ts';
import type { Owner } from '../owner.ts';
import { MountBatch } from './apply-mounts.ts';
import { Holder, type HolderSetting } from './holder.ts';
import { hostFileSystems } from './host-mounts.ts';
import { HOST_MASKS } from './host-masks.ts';
import { addUnreadableShell } from './unreadable-shell.ts';
import { ETC_DIRECTORIES, completeRootTree, giveTo, makeRootTree, USER_DIRECTORIES } from './root-tree.ts';

/** Terminals of one exec. The kernel has 4096 for the whole machine. */
export const TERMINALS = 64;

/**
 * The file system of one sandbox, mounted in the private namespace of a holder process. It keeps its files between
 * execs and is gone, with every mount in it, when the holder dies.
 */
export class Stage {
  readonly #holder: Holder;
  readonly #directory: string;
  /** The user of the sandbox. `null` when rootless. */
  readonly owner: Owner | null;
  #rootName = 'root';
  #pipeSets = 0;
  readonly #freePipes: string[] = [];

  private constructor(holder: Holder, directory: string, owner: Owner | null) {
    this.#holder = holder;
    this.#directory = directory;
    this.owner = owner;
  }

  /** Builds it at `directory`, which must not exist. Throws `SANDBOX_START_FAILED` and `BAD_OPTION`. */
  static async create(directory: string, options: ResolvedOptions, setting: HolderSetting): Promise<Stage> {
    mkdirSync(directory, { mode: 0o711 });
    const inodes = Math.max(16_384, Math.ceil(options.diskBytes / 4096));
    const holder = await Holder.start(directory, `size=${options.diskBytes},nr_inodes=${inodes},mode=711`, setting);
    const stage = new Stage(holder, directory, setting.owner);
    try {
      mkdirSync(stage.#pipeDirectory, { mode: 0o700 });
      const [pipes] = await Promise.all([stage.#makePipes(), stage.#build(options)]);
      stage.#freePipes.push(pipes);
      return stage;
    } catch (error) {
      await holder.stop();
      throw error;
    }
  }

  get holderPid(): number {
    return this.#holder.pid;
  }

  get alive(): boolean {
    return this.#holder.alive;
  }

  /** The user namespace that the user of the sandbox made, as a path for this process, if one was asked for. */
  get userNamespace(): string | null {
    return this.#holder.userNamespace;
  }

  /** The tree that becomes `/`, as a path inside the holder's mount namespace. */
  get root(): string {
    return join(this.#directory, this.#rootName);
  }

  /** An empty file nobody can change, as a path inside the holder's mount namespace. */
  get emptyFile(): string {
    return join(this.#directory, 'empty-file');
  }

  /** The directory that becomes /dev/shm: on the same tmpfs, so that the disk limit counts it. */
  get sharedMemory(): string {
    return join(this.#directory, 'shm');
  }

  /** A path of the stage (not of the sandbox) as this process can open it. */
  hostPath(path: string): string {
    return this.#holder.hostPath(path);
  }

  /**
   * A path of the sandbox as this process can open it. Throws `UNSAFE_PATH` when the way there leads through a link,
   * which would be followed into the host.
   */
  hostView(path: string): string {
    const inside = insidePath('hostView', path);
    let view = this.hostPath(this.root);
    for (const part of inside.split('/').filter((name) => name !== '')) {
      view = join(view, part);
      if (lstatSync(view, { throwIfNoEntry: false })?.isSymbolicLink()) {
        throw new AssayError('UNSAFE_PATH', { path: inside, detail: 'it leads through a symbolic link' });
      }
    }
    return view;
  }

  /** Bytes on the tmpfs: all that was written in the sandbox, wherever. */
  async diskBytes(): Promise<number> {
    const { blocks, bfree, bsize } = await statfs(this.hostPath(this.#directory));
    return (blocks - bfree) * bsize;
  }

  /**
   * A directory of the sandbox as commands that begin with `enter` can read it, whatever modes its owner gave to what
   * is in it.
   */
  exportSource(path: string): { enter: string[]; source: string } {
    if (this.owner) return { enter: [], source: this.hostView(path) };
    const enter = ['nsenter', '--target', String(this.holderPid), '--user', '--mount', '--preserve-credentials', '--'];
    return { enter, source: join(this.root, insidePath('exportDirectory', path)) };
  }

  /** The prefix of three named pipes of the host (`.in`, `.out`, `.err`) that nobody else uses. */
  async takePipes(): Promise<string> {
    return this.#freePipes.pop() ?? this.#makePipes();
  }

  /** The /dev/pts of the exec that has these pipes, as a path inside the holder's mount namespace. */
  terminals(prefix: string): string {
    return `${this.#directory}-terminals-${basename(prefix)}`;
  }

  /** Gives pipes back. They must be empty and closed. */
  returnPipes(prefix: string): void {
    this.#freePipes.push(prefix);
  }

  /** Everything that runs in it must be dead. */
  async destroy(): Promise<void> {
    await this.#holder.stop();
  }

  /** Beside the tmpfs, not on it: a sandbox that filled its disk must not keep the next command from starting. */
  get #pipeDirectory(): string {
    return `${this.#directory}-pipes`;
  }

  async #makePipes(): Promise<string> {
    this.#pipeSets += 1;
    const prefix = join(this.#pipeDirectory, String(this.#pipeSets));
    mkdirSync(this.terminals(prefix), { mode: 0o755 });
    await this.#holder.run([
      ['pipes', `${prefix}.in`, `${prefix}.out`, `${prefix}.err`],
      ['devpts', this.terminals(prefix), `newinstance,ptmxmode=0666,mode=620,max=${TERMINALS}`],
    ]);
    return prefix;
  }

  async #build(options: ResolvedOptions): Promise<void> {
    mkdirSync(this.hostPath(this.root), { mode: 0o755 });
    mkdirSync(this.hostPath(this.sharedMemory), { mode: 0o755 });
    giveTo(this.owner, this.hostPath(this.sharedMemory));
    const batch = new MountBatch(this.#holder, { directory: this.#directory, root: this.root }, this.owner);
    const rootless = this.owner === null;
    await this.#bringSystem(batch, options);
    if (options.unsealed.has('host-files')) {
      for (const mountPoint of hostFileSystems()) await batch.addHost(mountPoint, join('/host', mountPoint));
    } else if (options.root === null) {
      for (const target of HOST_MASKS.filter(isDirectory)) batch.mask(target);
    }
    // Rootless the whole tree belongs to the user inside.
    if (rootless) for (const directory of USER_DIRECTORIES) batch.bindToItself(directory, 'nosuid,nodev');
    for (const mount of [...options.mounts, ...laneMounts(options.lanes)]) await batch.add(mount);
    // A tree in place of the system belongs to the user inside as well, and what commands of ours start with is not
    // theirs to change.
    if (rootless && options.asRoot && options.root !== null) {
      await batch.flush();
      for (const directory of ['/usr', '/etc']) batch.bindToItself(directory, 'recursive,ro,nosuid,nodev');
    }
    const sealed = rootless && !options.asRoot;
    if (sealed) batch.repeatTree('sealed', 'recursive,ro,nosuid,nodev');
    await batch.flush();
    if (sealed) this.#rootName = 'sealed';
  }

  async #bringSystem(batch: MountBatch, options: ResolvedOptions): Promise<void> {
    const root = this.hostPath(this.root);
    const tree = { ...options, owner: this.owner };
    if (options.root !== null) {
      await batch.addBase(options.root);
      completeRootTree(root, tree);
      addUnreadableShell(options.root, root);
      return;
    }
    const toolchain = makeRootTree(root, tree);
    addUnreadableShell('/', root);
    for (const directory of [...toolchain, ...ETC_DIRECTORIES.filter(isDirectory)]) {
      await batch.add({ kind: 'read-only', source: directory, target: directory });
    }
  }
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
