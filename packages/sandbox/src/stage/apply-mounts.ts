import { chmodSync, lstatSync, mkdirSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AssayError } from '@assay/protocol/errors';
import type { Mount } from '../contract.ts';
import type { Owner } from '../owner.ts';
import type { Holder, HolderCommand } from './holder.ts';
import { hasOrdinaryFiles, hostMounts, isWithin, lockedMounts, type HostMount } from './host-mounts.ts';
import { giveTo } from './root-tree.ts';

/** Where things lie inside the tmpfs of a holder. */
export interface StageLayout {
  /** The tmpfs itself, as a path inside the holder. */
  directory: string;
  /** The tree that becomes `/` of the sandbox. */
  root: string;
}

const READ_ONLY = 'ro,nosuid,nodev';

/**
 * Mounts things into the tree of a stage. Mounts are collected and done together, until one lies inside an earlier one.
 * Mount points are made through the holder's view, never through a link: what lies in the tree may be hostile.
 */
export class MountBatch {
  readonly #holder: Holder;
  readonly #layout: StageLayout;
  readonly #owner: Owner | null;
  readonly #targets: string[] = [];
  #pending: HolderCommand[] = [];
  #layers = 0;
  #hostMounts: HostMount[] | undefined;

  /** `owner`: the user of the sandbox, who sees files of the common owner as theirs. `null` when rootless. */
  constructor(holder: Holder, layout: StageLayout, owner: Owner | null) {
    this.#holder = holder;
    this.#layout = layout;
    this.#owner = owner;
    mkdirSync(this.#host('empty'), { mode: 0o555 });
    writeFileSync(this.#host('empty-file'), '', { mode: 0o444 });
    for (const name of ['lower', 'upper', 'work', 'files']) mkdirSync(this.#host(name));
  }

  /** Throws `BAD_OPTION` when it cannot be done: a missing source, a link on the way, a target in a read-only place. */
  async add(mount: Mount): Promise<void> {
    if (this.#targets.some((target) => isWithin(mount.target, target))) await this.flush();
    switch (mount.kind) {
      case 'read-only':
        return this.#show(mount.source, mount.target);
      case 'writable':
        this.#makeTarget(mount.target, sourceKind(mount.source, mount.target));
        return this.#bind(mount.source, mount.target, 'nosuid,nodev');
      case 'hidden':
        return this.#hide(mount.target);
      case 'layers':
        await this.#layer(mount);
    }
  }

  /** A directory of the host as it is, its inodes too: for positive controls. */
  async addHost(source: string, target: string): Promise<void> {
    if (this.#targets.some((earlier) => isWithin(target, earlier))) await this.flush();
    this.#makeTarget(target, 'directory');
    this.#bind(source, target, READ_ONLY);
  }

  /**
   * Lays a directory of the host under the whole tree, which must be empty. What is written there goes to a private
   * layer.
   */
  async addBase(source: string): Promise<void> {
    mkdirSync(this.#host(join('upper', 'base')), { mode: 0o755 });
    this.#overlay('base', [source], '/');
    await this.flush();
  }

  /** Hides a directory that a pending mount brings, without looking whether it is there. */
  mask(target: string): void {
    this.#push(target, ['bind', 'empty', this.#inTree(target), READ_ONLY]);
  }

  /** Makes a directory of the tree a mount of its own. */
  bindToItself(target: string, options: string): void {
    this.#push(target, ['bind', this.#inTree(target), this.#inTree(target), options]);
  }

  /** Mounts the whole tree once more, beside itself. */
  repeatTree(name: string, options: string): void {
    const { directory, root } = this.#layout;
    mkdirSync(this.#host(name));
    this.#pending.push(['bind', root, join(directory, name), options]);
  }

  /**
   * A file or directory of the host, read-only, with inodes that this sandbox alone has. Locks, watches and times of
   * access belong to an inode: with those of the host two sandboxes could talk, and see what the host does.
   */
  #show(source: string, target: string): void {
    const kind = sourceKind(source, target);
    this.#makeTarget(target, kind);
    const place = this.#placeOfOwn(source, kind);
    if (place === null) return this.#bind(source, target, READ_ONLY);
    this.#layers += 1;
    const number = String(this.#layers);
    const lower = this.#addLower(place.directory, target, `${number}-0`);
    const options = `lowerdir=${lower}:empty${this.#owner ? '' : ',userxattr'}`;
    if (place.file === null) return this.#push(target, ['overlay', this.#inTree(target), READ_ONLY, options]);
    const view = join('files', number);
    mkdirSync(this.#host(view));
    this.#pending.push(['overlay', view, READ_ONLY, options]);
    this.#push(target, ['bind', join(view, place.file), this.#inTree(target), READ_ONLY]);
  }

  /** The directory of which an overlay shows the source, or null where none can: sockets, /proc, places with mounts. */
  #placeOfOwn(source: string, kind: 'file' | 'directory'): { directory: string; file: string | null } | null {
    const path = realpathSync(source);
    const [outermost, ...below] = lockedMounts(path, this.#mounts);
    if (!outermost || !hasOrdinaryFiles(path, this.#mounts)) return null;
    if (kind === 'directory') return this.#owner || below.length === 0 ? { directory: path, file: null } : null;
    if (!statSync(path).isFile() || this.#mounts.some(({ mountPoint }) => mountPoint === path)) return null;
    const directory = dirname(path);
    if (!this.#owner && lockedMounts(directory, this.#mounts).length > 1) return null;
    return { directory, file: basename(path) };
  }

  #bind(source: string, target: string, options: string): void {
    if (this.#owner) return this.#push(target, ['bind', source, this.#inTree(target), `${options},mapped`]);
    const [outermost, ...below] = lockedMounts(source, this.#mounts);
    for (const { path, flags } of outermost ? [outermost, ...below] : []) {
      const kept = [...new Set([...options.split(','), ...flags, 'recursive'])].join(',');
      const place = target + path.slice(outermost?.path.length);
      this.#push(place, ['bind', path, this.#inTree(place), kept]);
    }
  }

  /** Does all that is pending. Throws `SANDBOX_START_FAILED`. */
  async flush(): Promise<void> {
    if (this.#pending.length === 0) return;
    const commands = this.#pending;
    this.#pending = [];
    this.#targets.length = 0;
    await this.#holder.run(commands);
  }

  #hide(target: string): void {
    const entry = lstatSync(this.#inRoot(target), { throwIfNoEntry: false });
    const kind = entry && !entry.isDirectory() ? 'file' : 'directory';
    this.#makeTarget(target, kind);
    this.#push(target, ['bind', kind === 'file' ? 'empty-file' : 'empty', this.#inTree(target), READ_ONLY]);
  }

  async #layer(mount: Extract<Mount, { kind: 'layers' }>): Promise<void> {
    this.#layers += 1;
    const number = String(this.#layers);
    const upper = join('upper', number);
    this.#makeTarget(mount.target, 'directory');
    this.#makeUpper(this.#host(upper), mount.sources[0]);
    if (mount.sources.length === 0) {
      this.#push(mount.target, ['bind', upper, this.#inTree(mount.target), 'nosuid,nodev']);
    } else {
      this.#overlay(number, mount.sources, mount.target);
    }
    if (mount.deleted === undefined || mount.deleted.length === 0) return;
    await this.flush();
    for (const path of mount.deleted) this.#delete(join(mount.target, path));
  }

  #overlay(name: string, sources: string[], target: string): void {
    mkdirSync(this.#host(join('work', name)));
    const lower = sources.map((source, index) => this.#addLower(source, target, `${name}-${index}`));
    const features = this.#owner ? 'redirect_dir=off,metacopy=off,index=off' : 'userxattr';
    const writable = `upperdir=${join('upper', name)},workdir=${join('work', name)}`;
    const options = `lowerdir=${lower.join(':')},${writable},${features}`;
    this.#push(target, ['overlay', this.#inTree(target), 'nosuid,nodev', options]);
  }

  /**
   * A plain name for a layer: the overlay's options are limited in length and give `:` and `,` a meaning. Where files
   * of the common owner have to become those of the user it is a mount that maps them.
   */
  #addLower(source: string, target: string, name: string): string {
    if (sourceKind(source, target) !== 'directory') throw badMount(target, `${source} is no directory`);
    const place = join('lower', name);
    if (this.#owner) {
      mkdirSync(this.#host(place));
      this.#pending.push(['bind', source, place, `${READ_ONLY},mapped`]);
    } else {
      symlinkSync(source, this.#host(place));
    }
    return place;
  }

  /** Through the mounted overlay, so that the kernel leaves the mark that hides what lies below. */
  #delete(path: string): void {
    this.#walk(dirname(path), (parent) => {
      if (lstatSync(parent, { throwIfNoEntry: false })?.isSymbolicLink()) throw badMount(path, 'it lies behind a link');
    });
    rmSync(this.#inRoot(path), { recursive: true, force: true });
  }

  #makeTarget(target: string, kind: 'file' | 'directory'): void {
    const last = this.#inRoot(target);
    this.#walk(target, (path) => {
      const entry = lstatSync(path, { throwIfNoEntry: false });
      const wanted = path === last ? kind : 'directory';
      if (!entry) this.#makeEntry(path, wanted, target);
      else if (entry.isSymbolicLink()) throw badMount(target, 'it lies behind a link');
      else if (entry.isDirectory() !== (wanted === 'directory')) throw badMount(target, `it is not a ${wanted}`);
    });
  }

  #walk(target: string, visit: (path: string) => void): void {
    let path = '';
    for (const part of target.split('/').filter((name) => name !== '')) {
      path += `/${part}`;
      visit(this.#inRoot(path));
    }
  }

  #makeEntry(path: string, kind: 'file' | 'directory', target: string): void {
    try {
      if (kind === 'directory') mkdirSync(path);
      else writeFileSync(path, '', { flag: 'wx' });
      giveTo(this.#owner, path);
    } catch (error) {
      throw badMount(target, `it cannot be made: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #makeUpper(path: string, topmost: string | undefined): void {
    mkdirSync(path);
    // The upper directory gives the merged one its mode.
    if (topmost !== undefined) chmodSync(path, (statSync(topmost).mode & 0o777) | 0o700);
    giveTo(this.#owner, path);
  }

  #push(target: string, command: HolderCommand): void {
    this.#targets.push(target);
    this.#pending.push(command);
  }

  get #mounts(): HostMount[] {
    this.#hostMounts ??= hostMounts();
    return this.#hostMounts;
  }

  #inTree(path: string): string {
    return join(this.#layout.root, path);
  }

  #host(name: string): string {
    return this.#holder.hostPath(join(this.#layout.directory, name));
  }

  #inRoot(path: string): string {
    return this.#holder.hostPath(join(this.#layout.root, path));
  }
}

function sourceKind(source: string, target: string): 'file' | 'directory' {
  const entry = statSync(source, { throwIfNoEntry: false });
  if (!entry) throw badMount(target, `the source ${source} does not exist`);
  return entry.isDirectory() ? 'directory' : 'file';
}

function badMount(target: string, detail: string): AssayError {
  return new AssayError('BAD_OPTION', { option: `mount at ${target}`, detail });
}
