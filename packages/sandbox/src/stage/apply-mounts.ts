import { lstatSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync, chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AssayError } from '@assay/protocol/errors';
import type { Mount } from '../contract.ts';
import { formatFstab, type FstabEntry } from './fstab.ts';
import type { Holder } from './holder.ts';
import { hostMounts, isWithin, lockedMounts } from './host-mounts.ts';
import { giveToUser } from './root-tree.ts';

/** Where things lie inside the tmpfs of a holder. */
export interface StageLayout {
  /** The tmpfs itself, as a path inside the holder. */
  directory: string;
  /** The tree that becomes `/` of the sandbox. */
  root: string;
}

/**
 * Mounts things into the tree of a stage. Mounts are collected and done together, until one lies inside an earlier one.
 * Mount points are made through the holder's view, never through a link: what lies in the tree may be hostile.
 */
export class MountBatch {
  readonly #holder: Holder;
  readonly #layout: StageLayout;
  readonly #rootless: boolean;
  #pending: FstabEntry[] = [];
  #tables = 0;
  #layers = 0;

  constructor(holder: Holder, layout: StageLayout, options: { rootless: boolean }) {
    this.#holder = holder;
    this.#layout = layout;
    this.#rootless = options.rootless;
    mkdirSync(this.#host('empty'), { mode: 0o555 });
    writeFileSync(this.#host('empty-file'), '', { mode: 0o444 });
    for (const name of ['tables', 'lower', 'upper', 'work']) mkdirSync(this.#host(name));
  }

  /** Throws `BAD_OPTION` when it cannot be done: a missing source, a link on the way, a target in a read-only place. */
  async add(mount: Mount): Promise<void> {
    if (this.#pending.some((entry) => isWithin(mount.target, entry.target.slice(this.#layout.root.length))))
      await this.flush();
    switch (mount.kind) {
      case 'read-only':
        return this.#bind(mount.source, mount.target, 'ro,nosuid,nodev');
      case 'writable':
        return this.#bind(mount.source, mount.target, 'nosuid,nodev');
      case 'hidden':
        return this.#hide(mount.target);
      case 'layers':
        await this.#layer(mount);
    }
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
    this.#push(join(this.#layout.directory, 'empty'), target, 'none', 'bind,ro,nosuid,nodev');
  }

  /** Makes a directory of the tree a mount of its own. */
  bindToItself(target: string, options: string): void {
    this.#push(join(this.#layout.root, target), target, 'none', options);
  }

  /** Mounts the whole tree once more, beside itself: `mount --all` passes over what is mounted on itself already. */
  repeatTree(name: string, options: string): void {
    const { directory, root } = this.#layout;
    mkdirSync(this.#host(name));
    this.#pending.push({ source: root, target: join(directory, name), type: 'none', options });
  }

  #bind(source: string, target: string, options: string): void {
    const kind = sourceKind(source, target);
    this.#makeTarget(target, kind);
    if (!this.#rootless) {
      this.#push(source, target, 'none', `bind,${options}`);
      return;
    }
    const [outermost, ...below] = lockedMounts(source, hostMounts());
    for (const { path, flags } of outermost ? [outermost, ...below] : []) {
      const kept = [...new Set([...options.split(','), ...flags])].join(',');
      this.#push(path, target + path.slice(outermost?.path.length), 'none', `rbind,${kept}`);
    }
  }

  /** Does all that is pending. Throws `SANDBOX_START_FAILED`. */
  async flush(): Promise<void> {
    if (this.#pending.length === 0) return;
    this.#tables += 1;
    const table = join('tables', String(this.#tables));
    writeFileSync(this.#host(table), formatFstab(this.#pending));
    this.#pending = [];
    await this.#holder.mountAll(join(this.#layout.directory, table));
  }

  #hide(target: string): void {
    const entry = lstatSync(this.#inRoot(target), { throwIfNoEntry: false });
    const kind = entry && !entry.isDirectory() ? 'file' : 'directory';
    this.#makeTarget(target, kind);
    this.#push(
      join(this.#layout.directory, kind === 'file' ? 'empty-file' : 'empty'),
      target,
      'none',
      'bind,ro,nosuid,nodev',
    );
  }

  async #layer(mount: Extract<Mount, { kind: 'layers' }>): Promise<void> {
    this.#layers += 1;
    const number = String(this.#layers);
    const upper = join('upper', number);
    this.#makeTarget(mount.target, 'directory');
    makeUpper(this.#host(upper), mount.sources[0]);
    if (mount.sources.length === 0) {
      this.#push(join(this.#layout.directory, upper), mount.target, 'none', 'bind,nosuid,nodev');
    } else {
      this.#overlay(number, mount.sources, mount.target);
    }
    if (mount.deleted === undefined || mount.deleted.length === 0) return;
    await this.flush();
    for (const path of mount.deleted) this.#delete(join(mount.target, path));
  }

  #overlay(name: string, sources: string[], target: string): void {
    const { directory } = this.#layout;
    mkdirSync(this.#host(join('work', name)));
    const lower = sources.map((source, index) => this.#linkLower(source, target, name, index));
    const features = this.#rootless ? 'userxattr' : 'redirect_dir=off,metacopy=off,index=off';
    const writable = `upperdir=${join(directory, 'upper', name)},workdir=${join(directory, 'work', name)}`;
    this.#push('overlay', target, 'overlay', `lowerdir=${lower.join(':')},${writable},${features},nosuid,nodev`);
  }

  /**
   * A link with a plain name to a layer: the overlay's options are limited in length and give `:` and `,` a meaning.
   */
  #linkLower(source: string, target: string, number: string, index: number): string {
    if (sourceKind(source, target) !== 'directory') throw badMount(target, `${source} is no directory`);
    const name = join('lower', `${number}-${index}`);
    symlinkSync(source, this.#host(name));
    return join(this.#layout.directory, name);
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
      if (!entry) makeEntry(path, wanted, target);
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

  #push(source: string, target: string, type: FstabEntry['type'], options: string): void {
    this.#pending.push({ source, target: join(this.#layout.root, target), type, options });
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

function makeUpper(path: string, topmost: string | undefined): void {
  mkdirSync(path);
  // The upper directory gives the merged one its mode.
  if (topmost !== undefined) chmodSync(path, (statSync(topmost).mode & 0o777) | 0o700);
  giveToUser(path);
}

function makeEntry(path: string, kind: 'file' | 'directory', target: string): void {
  try {
    if (kind === 'directory') mkdirSync(path);
    else writeFileSync(path, '', { flag: 'wx' });
    giveToUser(path);
  } catch (error) {
    throw badMount(target, `it cannot be made: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function badMount(target: string, detail: string): AssayError {
  return new AssayError('BAD_OPTION', { option: `mount at ${target}`, detail });
}
