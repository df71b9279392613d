import { randomBytes } from 'node:crypto';
import { AssayError, type SealName, type Verdict } from '@assay/protocol';
import type { ExecResult, Mount, Sandbox, SandboxOptions, SandboxProvider } from '@assay/sandbox';
import { ecosystemOf } from '../ecosystems/index.ts';
import type { Launch, PreparedEnvironment } from '../ecosystems/ecosystem.ts';
import type { ChangeSet } from '@assay/files/change-set';
import { digestChange } from '@assay/files/digest-change';
import type { RepositoryTask } from '../bundle/task.ts';
import { invalidVerdict } from './invalid-verdict.ts';
import { composeVerifierTree, type VerifierTree } from './compose-verifier-tree.ts';
import { readChannel } from './read-channel.ts';
import { scoreLog, scoreResults } from './score-results.ts';

export const VERIFIER_VERSION = '1';

const verifierName = ({ meta }: RepositoryTask): string => `${meta.test.runner}@${VERIFIER_VERSION}`;

export interface VerifyRequest {
  task: RepositoryTask;
  /** The agent's change to T0; an empty one is the no-op. */
  submission: ChangeSet;
  reference: ChangeSet;
  hidden: ChangeSet;
  environment: PreparedEnvironment;
  /** Directory of the host with the tree of T0, its `.git` included. */
  t0Directory: string;
  provider: SandboxProvider;
  unsealed: ReadonlySet<SealName>;
  signal?: AbortSignal;
}

/**
 * Grades a submission in a sandbox of its own: T0, plus the submission by content, steering files put back, hidden
 * tests on top. Pass if and only if every F2P and P2P id is recorded as passed exactly once.
 *
 * A time-out or lack of memory is the submission's failure, unless the reference fails the same way straight after:
 * then the verdict is `invalid`, as it is when the sandbox itself cannot be had. Aborting rejects with the signal's
 * reason.
 */
export async function verifySubmission(request: VerifyRequest): Promise<Verdict> {
  try {
    const verdict = await gradeOnce(request, request.submission);
    if (!verdict.starved) return verdict.verdict;
    const control = await gradeOnce(request, request.reference);
    if (control.verdict.outcome === 'pass') return verdict.verdict;
    return ungradedVerdict(request, `the reference fails the same way here: ${verdict.verdict.note ?? 'starved'}`);
  } catch (error) {
    request.signal?.throwIfAborted();
    if (AssayError.is(error) && error.kind === 'infrastructure') return ungradedVerdict(request, error.message);
    throw error;
  }
}

async function gradeOnce(
  request: VerifyRequest,
  submission: ChangeSet,
): Promise<{ verdict: Verdict; starved: boolean }> {
  const { task, environment, provider, unsealed } = request;
  const mounts = environment.mounts({ writable: false });
  const tree = await composeVerifierTree({ ...request, mounts }, submission);
  try {
    const prepared = prepareLaunch(task, environment);
    const launch = unsealed.has('steering') ? withOpenStart(prepared.launch, task, submission) : prepared.launch;
    const { nonce } = prepared;
    const sandbox = await provider.create(verifierOptions(request, tree, launch));
    try {
      const exec = await sandbox.exec('', {
        argv: launch.argv,
        stdin: launch.stdin,
        env: launch.env,
        cwd: '/workspace',
        timeout: task.meta.test.timeoutSec * 1000,
        signal: request.signal,
      });
      request.signal?.throwIfAborted();
      const verdict = await verdictOfRun(request, { submission, sandbox, exec, nonce });
      return {
        verdict,
        starved: verdict.outcome === 'fail' && Boolean(exec.timedOut || exec.outOfMemory) && unsealed.size === 0,
      };
    } finally {
      await sandbox.destroy();
    }
  } finally {
    await tree.dispose();
  }
}

/** The runner's command for a task, with a nonce that nobody has seen. */
export function prepareLaunch(
  task: RepositoryTask,
  environment: PreparedEnvironment,
): { launch: Launch; nonce: string } {
  const nonce = randomBytes(16).toString('hex');
  return {
    launch: ecosystemOf(task.meta.test.ecosystem).launch({ command: task.meta.test, environment, nonce }),
    nonce,
  };
}

function verifierOptions({ environment, unsealed }: VerifyRequest, tree: VerifierTree, launch: Launch): SandboxOptions {
  const mounts: Mount[] = [
    { kind: 'layers', sources: tree.layers, target: '/workspace', deleted: tree.deleted },
    ...environment.mounts({ writable: false }),
    ...launch.mounts,
    ...(unsealed.has('reward-outside') ? [{ kind: 'layers' as const, sources: [], target: '/logs/verifier' }] : []),
  ];
  return { mounts, env: environment.env, cwd: '/workspace', unsealed: unsealed.has('limits') ? ['limits'] : [] };
}

/** The launch with the seal `steering` off. */
function withOpenStart(launch: Launch, task: RepositoryTask, submission: ChangeSet): Launch {
  const { attacks } = ecosystemOf(task.meta.test.ecosystem);
  return { ...launch, ...attacks.openStart(launch, submission.files) };
}

/** A finished run of the hidden tests over a submission. */
export interface VerifierRun {
  submission: ChangeSet;
  sandbox: Sandbox;
  exec: ExecResult;
  /** Marks the runner's records. */
  nonce: string;
}

/** Returns the verdict on what the runner reported, by the seals that are on. */
export async function verdictOfRun(
  { task, environment, provider, unsealed }: Omit<VerifyRequest, 'submission'>,
  { submission, sandbox, exec, nonce }: VerifierRun,
): Promise<Verdict> {
  const expected = { failToPass: task.meta.fail_to_pass, passToPass: task.meta.pass_to_pass };
  const forgedReward = unsealed.has('reward-outside') ? await readRewardFile(sandbox) : null;
  const scored = unsealed.has('result-channel')
    ? scoreLog(`${exec.stdout}\n${exec.stderr}`, exec, expected)
    : scoreResults(readChannel(exec.stdout, nonce), exec, expected);
  const reward = forgedReward ?? scored.reward;
  return {
    outcome: reward === 1 ? 'pass' : 'fail',
    reward,
    components: scored.components,
    tests: scored.tests,
    trust:
      unsealed.size > 0
        ? { level: 'unsealed', reasons: [...unsealed].map((name) => `the seal ${name} is off`) }
        : scored.trust,
    isolation: provider.isolation ?? 'none',
    limits: provider.limits ?? 'partial',
    verifier: verifierName(task),
    digests: { task: task.meta.digest, submission: digestChange(submission), environment: environment.spec.digest },
    ...(scored.note ? { note: scored.note } : {}),
  };
}

/** Only with the seal `reward-outside` off: the rule of graders that believe a file in the sandbox. */
async function readRewardFile(sandbox: Sandbox): Promise<number | null> {
  const text = await sandbox.readFile('/logs/verifier/reward.json').catch(() => null);
  if (text === null) return null;
  const reward: unknown = JSON.parse(text).reward;
  return typeof reward === 'number' ? reward : null;
}

/** The verdict when grading a submission broke down, for a reason that it did not cause. */
export function ungradedVerdict(
  { task, environment, submission, provider }: Pick<VerifyRequest, 'task' | 'environment' | 'submission' | 'provider'>,
  note: string,
): Verdict {
  const digests = { task: task.meta.digest, environment: environment.spec.digest };
  return invalidVerdict({ verifier: verifierName(task), provider, submission, digests, note });
}
