import { randomBytes } from 'node:crypto';
import type { SealName, TestCommand } from '@assay/protocol';
import type { ExecResult, Mount, Sandbox, SandboxOptions, SandboxProvider } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';
import type { RepositoryTask } from '../bundle/task.ts';
import { ecosystemOf } from '../ecosystems/index.ts';
import type { Launch, PreparedEnvironment } from '../ecosystems/ecosystem.ts';
import { composeVerifierTree, type VerifierTree } from './compose-verifier-tree.ts';

/** Observations of one run, and the lines of its log, may be no longer. */
const OUTPUT_BYTES = 64 * 1024 * 1024;

export interface BoxRequest {
  task: { meta: Pick<RepositoryTask['meta'], 'steering'> };
  environment: PreparedEnvironment;
  /** Directory of the host with the tree of T0, its `.git` included. */
  t0Directory: string;
  provider: SandboxProvider;
  unsealed: ReadonlySet<SealName>;
  signal?: AbortSignal;
}

/** One run of tests over a submission. */
export interface BoxRun {
  submission: ChangeSet;
  /** Tests that go over the submission. */
  tests: ChangeSet;
  command: TestCommand;
  /** File in the box for what stripped tests observe. */
  observations?: string;
  /** Ids of the tests to run, where the runner can be asked for single ones; else and absent: all of the files. */
  only?: readonly string[] | undefined;
  /** Called when the tests have started. */
  onStart?: (() => void) | undefined;
}

/** A run that has come to its end; the sandbox is there until `use` returns. */
export interface BoxEnd {
  sandbox: Sandbox;
  exec: ExecResult;
  /** Marks the runner's records. */
  nonce: string;
}

/**
 * Runs tests in a sandbox of its own: T0, plus the submission by content, steering files put back, tests on top.
 * Rejects with the signal's reason, and with what the provider says when there is no sandbox to be had.
 */
export async function inVerifierBox<T>(request: BoxRequest, run: BoxRun, use: (end: BoxEnd) => Promise<T>): Promise<T> {
  const { environment, provider, unsealed, signal } = request;
  const mounts = environment.mounts({ writable: false });
  const tree = await composeVerifierTree({ ...request, hidden: run.tests, mounts }, run.submission);
  try {
    const prepared = prepareLaunch(run.command, environment, run);
    const launch = unsealed.has('steering')
      ? withOpenStart(prepared.launch, run.command, run.submission)
      : prepared.launch;
    const sandbox = await provider.create(
      boxOptions(request, { tree, launch, observes: run.observations !== undefined }),
    );
    try {
      const running = sandbox.exec('', {
        argv: launch.argv,
        stdin: launch.stdin,
        env: launch.env,
        cwd: '/workspace',
        timeout: run.command.timeoutSec * 1000,
        signal,
      });
      run.onStart?.();
      const exec = await running;
      signal?.throwIfAborted();
      return await use({ sandbox, exec, nonce: prepared.nonce });
    } finally {
      await sandbox.destroy();
    }
  } finally {
    await tree.dispose();
  }
}

/** The runner's command, with a nonce that nobody has seen. */
export function prepareLaunch(
  command: TestCommand,
  environment: PreparedEnvironment,
  { observations, only }: Pick<BoxRun, 'observations' | 'only'> = {},
): { launch: Launch; nonce: string } {
  const nonce = randomBytes(16).toString('hex');
  return { launch: ecosystemOf(command.ecosystem).launch({ command, environment, nonce, observations, only }), nonce };
}

function boxOptions(
  { environment, unsealed }: BoxRequest,
  { tree, launch, observes }: { tree: VerifierTree; launch: Launch; observes: boolean },
): SandboxOptions {
  const mounts: Mount[] = [
    { kind: 'layers', sources: tree.layers, target: '/workspace', deleted: tree.deleted },
    ...environment.mounts({ writable: false }),
    ...launch.mounts,
    ...(unsealed.has('reward-outside') ? [{ kind: 'layers' as const, sources: [], target: '/logs/verifier' }] : []),
  ];
  return {
    mounts,
    env: environment.env,
    cwd: '/workspace',
    unsealed: unsealed.has('limits') ? ['limits'] : [],
    ...(observes ? { limits: { outputBytes: OUTPUT_BYTES } } : {}),
  };
}

/** The launch with the seal `steering` off. */
function withOpenStart(launch: Launch, command: TestCommand, submission: ChangeSet): Launch {
  const { attacks } = ecosystemOf(command.ecosystem);
  return { ...launch, ...attacks.openStart(launch, submission.files) };
}
