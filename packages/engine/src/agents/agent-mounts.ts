import { lstat } from 'node:fs/promises';
import { posix, resolve } from 'node:path';
import { AssayError, type AgentMount } from '@assay/protocol';

/** Mount point of a directory when no target is given. */
const DEFAULT_TARGET = '/opt/agent';
/** Trees that the sandbox or the task fills; a mount there would hide what the trial is about. */
const TAKEN = ['/workspace', '/proc', '/sys', '/dev', '/tests', '/solution', '/opt/env', '/opt/assay-agent'];

/**
 * Parses and checks `--mount DIRECTORY[:TARGET]`. Throws `BAD_OPTION` when an agent other than `exec` is given files,
 * when the directory does not exist, and for a target that is taken or not absolute.
 */
export async function checkAgentMounts(agent: string, given: readonly string[]): Promise<AgentMount[]> {
  const bad = (detail: string): AssayError => new AssayError('BAD_OPTION', { option: '--mount', detail });
  if (given.length > 0 && agent !== 'exec') throw bad(`only --agent exec takes files, not ${agent}`);
  const mounts: AgentMount[] = [];
  for (const text of given) {
    const [, directory = text, target = DEFAULT_TARGET] = /^(.+?):(\/.*)$/.exec(text) ?? [];
    const source = resolve(directory);
    if (!(await lstat(source).catch(() => null))?.isDirectory()) throw bad(`${source} is no directory`);
    const place = posix.normalize(target).replace(/\/+$/, '');
    if (place === '' || TAKEN.some((tree) => place === tree || place.startsWith(`${tree}/`)))
      throw bad(`nothing can be mounted at ${target}. Take a place such as ${DEFAULT_TARGET}`);
    if (mounts.some((mount) => mount.target === place)) throw bad(`two directories are to be mounted at ${place}`);
    mounts.push({ source, target: place });
  }
  return mounts;
}
