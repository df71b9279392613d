import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AssayError } from '@assay/protocol/errors';
import { cgroupHierarchies, type Hierarchy } from './cgroup-hierarchies.ts';

/** The parent of all our groups, in every hierarchy. */
export const CGROUP_PARENT = 'assay';

/** Processes that a provider needs to start a command. */
const PROCESSES_OF_A_START = 10;

/** Version 1 counts buffers of sockets beside the rest, and only in groups that have a limit of their own on them. */
const SOCKETS_LIMIT = 'memory.kmem.tcp.limit_in_bytes';
/** Divides the memory limit: the buffers may take that much on top of it. */
const SOCKETS_PART = 8;

export interface CgroupLimits {
  memoryBytes: number;
  pids: number;
}

/**
 * The control group of one sandbox: one directory in each hierarchy. The limits stand on it; processes run in a leaf of
 * it, one for each exec, so that one exec can be killed and asked for its out-of-memory events without touching
 * another.
 */
export class SandboxCgroup {
  readonly #name: string;
  readonly #hierarchies: Hierarchy[];
  readonly #directories: Array<{ path: string; hierarchy: Hierarchy }> = [];
  #leaves = 0;

  private constructor(name: string, hierarchies: Hierarchy[]) {
    this.#name = name;
    this.#hierarchies = hierarchies;
  }

  /**
   * Makes the group `name`. Throws `LIMITS_UNAVAILABLE` when the memory or pids controller is missing or cannot be set;
   * `required: false` lets that pass.
   */
  static create(
    name: string,
    limits: CgroupLimits,
    options: { required: boolean; hierarchies?: Hierarchy[] },
  ): SandboxCgroup {
    const hierarchies = options.hierarchies ?? cgroupHierarchies();
    const group = new SandboxCgroup(name, hierarchies);
    try {
      for (const hierarchy of hierarchies.filter(isUseful)) group.#join(hierarchy, options.required);
      group.#limit(
        'memory',
        ({ path, hierarchy }) => setMemoryLimit(path, hierarchy, limits.memoryBytes),
        options.required,
      );
      group.#limit('pids', ({ path }) => write(join(path, 'pids.max'), limits.pids), options.required);
      return group;
    } catch (error) {
      for (const { path } of group.#directories) removeTree(path);
      throw error;
    }
  }

  /** Its directory in every hierarchy, also in those that only a container runtime uses. */
  get paths(): string[] {
    return this.#hierarchies.map(({ mountPoint }) => join(mountPoint, CGROUP_PARENT, this.#name));
  }

  /** A new leaf for one exec. */
  leaf(): CgroupLeaf {
    this.#leaves += 1;
    const leaf = `exec-${this.#leaves}`;
    const paths = this.#directories.map(({ path }) => join(path, leaf));
    for (const path of paths) mkdirSync(path);
    return new CgroupLeaf(
      paths,
      this.#directories.map(({ path }) => path),
      join('/', CGROUP_PARENT, this.#name, leaf),
    );
  }

  /** `null` without a memory controller. The second and third figure hold page cache. */
  memory(): { memoryBytes: number; memoryUsageBytes: number; peakMemoryBytes: number | null } | null {
    const group = this.#directories.find(({ hierarchy }) => hierarchy.controllers.includes('memory'));
    return group ? readMemory(group.path, group.hierarchy.version) : null;
  }

  /** Every process in a leaf, those of the provider included. */
  processIds(): number[] {
    const leaves = this.#directories.flatMap(({ path }) => childGroups(path));
    return [...new Set(leaves.flatMap((path) => readLines(join(path, 'cgroup.procs')).map(Number)))].filter(
      (pid) => pid > 0,
    );
  }

  /** Kills all that still runs in it and removes it. Returns false when something in it would not die. */
  async remove(): Promise<boolean> {
    let removed = true;
    for (const path of this.paths) removed = (await killAndRemove(path)) && removed;
    return removed;
  }

  #join(hierarchy: Hierarchy, required: boolean): void {
    const parent = join(hierarchy.mountPoint, CGROUP_PARENT);
    const path = join(parent, this.#name);
    try {
      for (const directory of [parent, path]) makeGroup(directory);
      this.#directories.push({ path, hierarchy });
      if (hierarchy.version === 1) return;
      for (const directory of [hierarchy.mountPoint, parent, path])
        enableControllers(join(directory, 'cgroup.subtree_control'), hierarchy.controllers);
    } catch (error) {
      if (required)
        throw new AssayError(
          'LIMITS_UNAVAILABLE',
          { limit: 'memory and processes', detail: messageOf(error) },
          { cause: error },
        );
    }
  }

  #limit(controller: string, set: (group: { path: string; hierarchy: Hierarchy }) => void, required: boolean): void {
    try {
      const group = this.#directories.find(({ hierarchy }) => hierarchy.controllers.includes(controller));
      if (!group) throw new Error(`no cgroup hierarchy has the ${controller} controller`);
      set(group);
    } catch (error) {
      if (required)
        throw new AssayError('LIMITS_UNAVAILABLE', { limit: controller, detail: messageOf(error) }, { cause: error });
    }
  }
}

/** Where the processes of one exec live. */
export class CgroupLeaf {
  /** Below the mount point of each hierarchy. */
  readonly name: string;
  readonly #paths: string[];
  readonly #sandboxPaths: string[];

  constructor(paths: string[], sandboxPaths: string[], name: string) {
    this.name = name;
    this.#paths = paths;
    this.#sandboxPaths = sandboxPaths;
    // Version 2: when one process runs out of memory the whole exec goes, instead of limping on.
    for (const [index, path] of paths.entries()) {
      const limit = readLines(join(sandboxPaths[index] ?? '', SOCKETS_LIMIT))[0];
      if (limit !== undefined) tryWrite(join(path, SOCKETS_LIMIT), limit);
    }
    for (const path of paths) if (existsSync(join(path, 'memory.oom.group'))) write(join(path, 'memory.oom.group'), 1);
  }

  /**
   * Files to which a process of one thread writes `0` to move itself here. In version 1 the list of threads: for a
   * thread that moves itself the kernel does not stop every fork on the machine, for which it waits 5 to 20 ms
   * (`cgroup_procs_write_start` in its sources).
   */
  get joinFiles(): string[] {
    return this.#paths.map((path) =>
      existsSync(join(path, 'tasks')) ? join(path, 'tasks') : join(path, 'cgroup.procs'),
    );
  }

  /**
   * Lets a process of another user move itself here by writing `0` to `files`. To the groups of version 2 only root may
   * move it, which `put` does; it is in all when /proc/PID/cgroup has `count` lines that end in `name`.
   */
  admit(owner: { uid: number; gid: number }): {
    files: string[];
    put: (pid: number) => void;
    name: string;
    count: number;
  } {
    const all = this.joinFiles;
    const files = all.filter((path) => basename(path) === 'tasks');
    for (const path of files) chownSync(path, owner.uid, owner.gid);
    const others = all.filter((path) => !files.includes(path));
    return { files, put: (pid) => others.forEach((path) => write(path, pid)), name: this.name, count: all.length };
  }

  kill(): void {
    for (const path of this.#paths) killOnce(path);
  }

  /** How many processes the kernel killed here because memory ran out. */
  outOfMemoryKills(): number {
    return Math.max(0, ...this.#paths.map(readOutOfMemoryKills));
  }

  /** Whether a process was refused because there were too many, or would be now. */
  reachedPidsLimit(): boolean {
    // Version 1 counts refusals here, version 2 where the limit stands; runc removes this leaf when it cannot start.
    const refused = [...this.#paths, ...this.#sandboxPaths].some((path) =>
      readLines(join(path, 'pids.events')).some((line) => /^max [1-9]/.test(line)),
    );
    return (
      refused ||
      this.#sandboxPaths.some((path) => {
        const [current, limit] = ['pids.current', 'pids.max'].map((name) => Number(readLines(join(path, name))[0]));
        return current !== undefined && limit !== undefined && current + PROCESSES_OF_A_START > limit;
      })
    );
  }

  async remove(): Promise<void> {
    for (const path of this.#paths) await killAndRemove(path);
  }
}

/** Kills everything in a group and the groups below it, then removes them. Returns false when it had to give up. */
export async function killAndRemove(path: string): Promise<boolean> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (removeTree(path)) return true;
    killOnce(path);
    // A killed process leaves its group a moment later, when it has given back its memory.
    await sleep(Math.min(attempt + 1, 25));
  }
  return false;
}

/** The unified hierarchy is of use without controllers, too: it alone can kill a group at once. */
function isUseful(hierarchy: Hierarchy): boolean {
  return hierarchy.controllers.length > 0 || hierarchy.version === 2;
}

function killOnce(path: string): void {
  for (const child of childGroups(path)) killOnce(child);
  if (tryWrite(join(path, 'cgroup.kill'), 1)) return;
  // Version 1 has no kill: no process can be made while the rest is killed.
  tryWrite(join(path, 'pids.max'), 0);
  for (const pid of readLines(join(path, 'cgroup.procs'))) {
    // 0 is a process of another pid namespace.
    if (Number(pid) > 0) killProcess(Number(pid));
  }
}

function removeTree(path: string): boolean {
  for (const child of childGroups(path)) removeTree(child);
  try {
    rmdirSync(path);
    return true;
  } catch {
    return !existsSync(path);
  }
}

function childGroups(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(path, entry.name));
  } catch {
    return [];
  }
}

/** Makes one directory. A recursive mkdir never ends where the kernel answers ENOENT. */
function makeGroup(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (!existsSync(path)) throw error;
  }
}

/** Version 2: makes controllers usable one level further down. */
function enableControllers(file: string, controllers: string[]): void {
  const enabled = readLines(file).join(' ').split(' ');
  const missing = controllers.filter((controller) => !enabled.includes(controller));
  if (missing.length > 0) write(file, missing.map((controller) => `+${controller}`).join(' '));
}

function setMemoryLimit(path: string, hierarchy: Hierarchy, bytes: number): void {
  if (hierarchy.version === 2) {
    write(join(path, 'memory.max'), bytes);
    tryWrite(join(path, 'memory.swap.max'), 0);
    return;
  }
  write(join(path, 'memory.limit_in_bytes'), bytes);
  // Memory and swap together; missing where swap is not accounted.
  tryWrite(join(path, 'memory.memsw.limit_in_bytes'), bytes);
  tryWrite(join(path, SOCKETS_LIMIT), Math.ceil(bytes / SOCKETS_PART));
}

function readMemory(
  path: string,
  version: 1 | 2,
): { memoryBytes: number; memoryUsageBytes: number; peakMemoryBytes: number | null } {
  const stat = new Map(readLines(join(path, 'memory.stat')).map((line) => line.split(' ') as [string, string]));
  const sum = (...names: string[]): number => names.reduce((total, name) => total + Number(stat.get(name) ?? 0), 0);
  const number = (name: string): number => Number(readLines(join(path, name))[0] ?? 0);
  if (version === 1) {
    return {
      memoryBytes: sum('total_rss', 'total_shmem') + number('memory.kmem.usage_in_bytes'),
      memoryUsageBytes: number('memory.usage_in_bytes'),
      peakMemoryBytes: number('memory.max_usage_in_bytes') || null,
    };
  }
  // Kernels before 5.18 tell only the parts of what theirs is. Reclaimable slabs are a cache of file names, among
  // others.
  const kernel = stat.has('kernel') ? sum('kernel') : sum('kernel_stack', 'pagetables', 'percpu', 'sock', 'slab');
  return {
    memoryBytes: Math.max(0, sum('anon', 'shmem') + kernel - sum('slab_reclaimable')),
    memoryUsageBytes: number('memory.current'),
    peakMemoryBytes: number('memory.peak') || null,
  };
}

function readOutOfMemoryKills(path: string): number {
  for (const file of ['memory.events', 'memory.oom_control']) {
    const line = readLines(join(path, file)).find((text) => text.startsWith('oom_kill '));
    if (line) return Number(line.slice('oom_kill '.length));
  }
  return 0;
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}

function write(path: string, value: string | number): void {
  writeFileSync(path, String(value));
}

function tryWrite(path: string, value: string | number): boolean {
  try {
    writeFileSync(path, String(value), { flag: 'r+' });
    return true;
  } catch {
    return false;
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
