import { readFileSync, readlinkSync } from 'node:fs';

/** The name of a process that no other process on this machine will ever have until the next boot: `pid-startTime`. */
export function processIdentity(pid: number = process.pid): string | null {
  const start = startTime(pid);
  return start === null ? null : `${pid}-${start}${PID_NAMESPACE_SUFFIX}`;
}

/**
 * Whether the process of an identity is alive. An identity of another pid namespace (a container beside this one)
 * cannot be looked up from here and counts as alive.
 */
export function isAlive(identity: string): boolean {
  const match = /^(\d+)-(\d+)(-ns\d+)?$/.exec(identity);
  if (!match) return true;
  if ((match[3] ?? '') !== PID_NAMESPACE_SUFFIX) return true;
  return startTime(Number(match[1])) === match[2];
}

/** The machine's id since it was started; empty where it is not told. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** Field 22 of `/proc/PID/stat`: clock ticks after boot. A zombie counts as dead. */
function startTime(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field, the command's name, may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

const INITIAL_PID_NAMESPACE = 'pid:[4026531836]';
const PID_NAMESPACE_SUFFIX = pidNamespaceSuffix();

function pidNamespaceSuffix(): string {
  const namespace = readlinkSync('/proc/self/ns/pid');
  return namespace === INITIAL_PID_NAMESPACE ? '' : `-ns${/\d+/.exec(namespace)?.[0] ?? '0'}`;
}
