import { join } from 'node:path';
import { runCommand } from '@assay/sandbox';

const ALIVE =
  'alive() { for s in /proc/[0-9]*/status; do grep -qs "^Uid:.*10001" $s && echo alive; done; true; }; echo ---;';
const WAIT = 'for try in 1 2 3 4 5 6 7 8 9 10; do [ -z "$(alive)" ] && break; sleep 0.2; done;';

/** The places where both kinds of grader find the same. */
const PLACES: Readonly<Record<string, string>> = {
  tests: '/tests',
  workspace: '/workspace',
  logs: '/logs/verifier',
  outside: '/outside',
  home: '/home/sandbox',
};

export interface GraderRun {
  /** A directory that has `tests`, `workspace`, `logs`, `outside`, `home` and what `places` names. */
  image: string;
  /** Where in the box more directories of the image lie. */
  places?: Readonly<Record<string, string>>;
  /** More arguments of bubblewrap, after the system and before the places. */
  mounts?: readonly string[];
  /** A line for `sh`. */
  program: string;
  /**
   * Looks for left processes for two seconds before it says that there are some: on a busy machine the kernel lists
   * killed ones for a moment longer than their grader lives. Default false.
   */
  patient?: boolean;
}

/** The host's programs, and what they need of a system. */
const SYSTEM = [
  '--ro-bind /usr /usr',
  ...['bin', 'lib', 'lib64'].flatMap((name) => [`--symlink usr/${name} /${name}`]),
  '--ro-bind /etc /etc --proc /proc --dev /dev --tmpfs /tmp',
].flatMap((words) => words.split(' '));
const DIRECTORIES = ['/opt', '/home', '/logs'].flatMap((path) => ['--perms', '0755', '--dir', path]);

/**
 * Runs a grader in namespaces of its own, as root as in Harbor's container of the verifier. Standard output ends with a
 * line `---` and then a line `alive` for each process of the submission's user that outlived the grader.
 */
export function runGrader({
  image,
  places = {},
  mounts = [],
  program,
  patient = false,
}: GraderRun): ReturnType<typeof runCommand> {
  const binds = Object.entries({ ...PLACES, ...places }).flatMap(([from, to]) => ['--bind', join(image, from), to]);
  const isolation = ['--unshare-pid', '--unshare-net', '--unshare-ipc', '--die-with-parent', '--cap-add', 'ALL'];
  const script = `${program}; ${ALIVE} ${patient ? WAIT : ''} alive`;
  return runCommand(['bwrap', ...SYSTEM, ...isolation, ...DIRECTORIES, ...mounts, ...binds, 'sh', '-c', script], {
    timeoutMs: 120_000,
  });
}
