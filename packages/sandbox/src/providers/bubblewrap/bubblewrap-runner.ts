import { closeSync, fstatSync, readFileSync } from 'node:fs';
import { waitForCopy } from '../../fork-server/copy-server.ts';
import { launchDirectly, launchUnderShell } from '../launch-inside.ts';
import { shellOfProcess1 } from '../../stage/unreadable-shell.ts';
import { openAnonymousFile } from '../../process/anonymous-file.ts';
import type { ExecOutcome, ExecRequest, PreparedExec, ProcessRunner, RunnerContext } from '../process-runner.ts';
import { bubblewrapArguments } from './bubblewrap-arguments.ts';

/** Descriptors as the command inherits them, in this order. */
const ARGUMENTS_FD = 3;
const STATUS_FD = 4;
const SECCOMP_FD = 5;

/** Runs each command under its own bubblewrap, started inside the mount namespace of the stage. */
export class BubblewrapRunner implements ProcessRunner {
  readonly name = 'bubblewrap';
  readonly managesCgroup = false;
  readonly hostNamespaces = true;
  readonly takesCopies = true;
  readonly seccompFilter: Buffer | null;

  constructor(seccompFilter: Buffer | null) {
    this.seccompFilter = seccompFilter;
  }

  hostTasks(pids: number): number {
    // Its monitor outside and its reaper inside.
    return pids + 2;
  }

  prepare(request: ExecRequest, context: RunnerContext): PreparedExec {
    const { stage, options, directory, terminals } = context;
    const seccomp = options.unsealed.has('privileges') ? null : this.seccompFilter;
    const readyFd = seccomp ? SECCOMP_FD + 1 : SECCOMP_FD;
    // A copy has to look into process 1 in order to join, so that has to be bubblewrap's own.
    const launch = request.copy
      ? launchDirectly({ ...request, argv: waitForCopy(readyFd, request.argv) }, options.lanes)
      : launchUnderShell(request, options.lanes, shellOfProcess1(options.mounts));
    const paths = { root: stage.root, sharedMemory: stage.sharedMemory, terminals, emptyFile: stage.emptyFile };
    const descriptors = { status: STATUS_FD, seccomp: seccomp ? SECCOMP_FD : undefined };
    // Through a descriptor: the sandbox can read bubblewrap's own command line in /proc/1/cmdline.
    const args = bubblewrapArguments(launch, options, paths, { ...descriptors, ownInit: request.copy === true })
      .map((argument) => `${argument}\0`)
      .join('');
    const fds = [args, '', ...(seccomp ? [seccomp] : []), ...(request.copy ? [''] : [])].map((content) =>
      openAnonymousFile(directory, content),
    );
    const [, status = -1] = fds;
    const ready = fds.at(-1) ?? -1;
    const readStatus = (): string => readFileSync(`/proc/self/fd/${status}`, 'utf8');
    return {
      argv: [...enterStage(context), 'bwrap', '--args', String(ARGUMENTS_FD), '--', ...launch.argv],
      fds,
      outcome: ({ stderr }) => readOutcome(readStatus(), stderr),
      insidePid: () => readChildPid(readStatus()),
      ready: () => fstatSync(ready).size > 0,
      dispose: () => fds.forEach((descriptor) => closeSync(descriptor)),
    };
  }
}

/**
 * As root: into the mount namespace only, as the unprivileged owner. Rootless: into the holder's user namespace as
 * well.
 */
function enterStage(context: RunnerContext): string[] {
  const { owner, holderPid } = context.stage;
  const target = ['--target', String(holderPid)];
  if (!owner) return ['nsenter', ...target, '--user', '--mount', '--preserve-credentials', '--'];
  return ['nsenter', ...target, '--mount', '--setuid', String(owner.uid), '--setgid', String(owner.gid), '--'];
}

function readChildPid(status: string): number | null {
  const pid = /"child-pid"\s*:\s*(\d+)\b/.exec(status)?.[1];
  return pid === undefined ? null : Number(pid);
}

/**
 * bubblewrap writes one JSON document when it starts the command and one with the exit code, the latter only if the
 * command ran.
 */
function readOutcome(status: string, stderr: string): ExecOutcome {
  const exitCode = /"exit-code"\s*:\s*(\d+)/.exec(status)?.[1];
  if (exitCode !== undefined) return { kind: 'ended', exitCode: Number(exitCode) };
  const message =
    stderr
      .trim()
      .split('\n')
      .find((line) => line.startsWith('bwrap: ')) ?? stderr.trim();
  if (/^bwrap: execvp /.test(message)) {
    const missing = message.endsWith('No such file or directory');
    return {
      kind: 'not-started',
      exitCode: missing ? 127 : 126,
      message: message.replace('bwrap: execvp ', 'cannot run '),
    };
  }
  if (/^bwrap: Can't chdir to /.test(message))
    return { kind: 'not-started', exitCode: 125, message: message.replace('bwrap: ', '') };
  return { kind: 'broken', message };
}
