import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const GROUP_PARENTS = [
  '/sys/fs/cgroup/memory/assay',
  '/sys/fs/cgroup/pids/assay',
  '/sys/fs/cgroup/unified/assay',
  '/sys/fs/cgroup/assay',
];

/**
 * A snapshot of everything on this machine that a run could leave behind: processes, mounts, control groups, temporary
 * files, sockets.
 */
export class Remains {
  /** By what it is; the text tells whose it may be. */
  readonly #things: ReadonlyMap<string, string>;

  private constructor(things: ReadonlyMap<string, string>) {
    this.#things = things;
  }

  static async now(): Promise<Remains> {
    const things = new Map<string, string>();
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const [command, groups, stat] = await Promise.all(
        ['cmdline', 'cgroup', 'stat'].map((name) => read(`/proc/${pid}/${name}`)),
      );
      const started = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
      // The kernel's own have no command.
      if (command) things.set(`process ${pid} ${started}`, `${command.replaceAll('\0', ' ')} ${groups}`);
    }
    for (const line of (await read('/proc/self/mountinfo')).split('\n')) things.set(`mount ${line}`, line);
    for (const parent of GROUP_PARENTS)
      for (const name of await names(parent)) things.set(`control group ${join(parent, name)}`, join(parent, name));
    for (const directory of [tmpdir(), '/run/assay'])
      for (const name of await names(directory)) things.set(`file ${join(directory, name)}`, join(directory, name));
    for (const line of (await read('/proc/net/unix')).split('\n')) {
      const path = line.split(/\s+/)[7];
      if (path) things.set(`socket ${path}`, path);
    }
    return new Remains(things);
  }

  /** Things that are new since `before`: those whose text contains one of the marks, and the number of others. */
  since(before: Remains, marks: readonly string[]): { left: string[]; others: number } {
    const came = [...this.#things].filter(([key]) => !before.#things.has(key));
    const left = came.filter(([, told]) => marks.some((mark) => told.includes(mark)));
    return { left: left.map(([key, told]) => `${key}: ${told}`.slice(0, 300)), others: came.length - left.length };
  }
}

const read = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
const names = (path: string): Promise<string[]> => readdir(path).catch(() => []);
