import { openSync, readdirSync, readFileSync } from 'node:fs';

const O_CLOEXEC = 0o2000000;

/**
 * The `stdio` of a child so that it gets exactly `descriptors`, as 0, 1, 2… Node hands a child whatever its own parent
 * left open (a shell's, a CI runner's); a sandbox must not have that, so /dev/null takes each one's place.
 */
export function exactDescriptors<T>(descriptors: T[]): Array<T | number | 'ignore'> {
  const stdio: Array<T | number | 'ignore'> = [...descriptors];
  for (const leaked of leakedDescriptors()) {
    if (leaked < descriptors.length) continue;
    while (stdio.length < leaked) stdio.push('ignore');
    stdio[leaked] = nullDescriptor();
  }
  return stdio;
}

let leaked: number[] | undefined;

/**
 * Descriptors that this process inherited and would pass on. Its own are all close-on-exec, so the answer never
 * changes.
 */
function leakedDescriptors(): number[] {
  leaked ??= readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isInheritable(descriptor))
    .sort((a, b) => a - b);
  return leaked;
}

function isInheritable(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    return false;
  }
}

let nullFile: number | undefined;

function nullDescriptor(): number {
  nullFile ??= openSync('/dev/null', 'r+');
  return nullFile;
}
