import { AssayError, type AgentStatus } from '@assay/protocol';
import type { Sandbox } from '@assay/sandbox';
import type { AgentContext, AgentRun } from '../agents/agent.ts';
import type { Workplace } from './1-prepare.ts';
import type { WaitingProcess } from './seal-check/first-command.ts';
import type { LaneEnd } from './lanes/trial-lane.ts';
import { agentTimeoutMs, type AgentOutcome, type TrialRequest } from './trial-request.ts';

/**
 * Stage 2: the agent works, until it ends, its time is over, or its model is gone and it goes on nevertheless. Every
 * process that it started is dead afterwards, and its token worth nothing. When it throws, `kept` has what the agent
 * printed and used up until then.
 */
export async function runAgent(
  request: TrialRequest,
  workplace: Workplace,
  kept: Pick<AgentOutcome, 'log' | 'usage'>,
): Promise<AgentOutcome> {
  const { signal } = request;
  const { lane, waiting } = workplace;
  const context = contextOf(request, workplace);
  // A command killed from outside has no result. Only agents with a lane are killed so, and wherever there are lanes,
  // output can be heard as it comes.
  const sandbox = lane === null ? context.sandbox : heard(context.sandbox, (text) => (kept.log += text));
  const run = await workplace.agent.run({ ...context, sandbox }).catch(async (error: unknown): Promise<AgentRun> => {
    signal?.throwIfAborted();
    if (lane?.overdue.aborted && AssayError.is(error) && error.code === 'INTERRUPTED')
      return { exec: null, note: 'the agent went on without a model, and was killed' };
    if (lane !== null) kept.usage = (await lane.end(signal)).usage;
    throw error;
  });
  await waiting?.close();
  signal?.throwIfAborted();
  const end = await lane?.end(signal);
  signal?.throwIfAborted();
  const log = run.exec ? `${run.continued ? '' : run.exec.stdout}${run.exec.stderr}` : kept.log;
  return { ...run, log, status: statusOf(run, end), usage: end?.usage, statusDetail: end?.stopped?.detail };
}

/** The same sandbox; `listen` gets the standard output of its commands. */
function heard(sandbox: Sandbox, listen: (text: string) => void): Sandbox {
  return withExec(sandbox, (command, options = {}) =>
    sandbox.exec(command, {
      ...options,
      onStdout: (text) => {
        listen(text);
        options.onStdout?.(text);
      },
    }),
  );
}

/** The same sandbox; what waits in it becomes its first command, if it can become that one. */
function startingAs(waiting: WaitingProcess | null, sandbox: Sandbox): Sandbox {
  if (waiting === null) return sandbox;
  return withExec(sandbox, async (command, options = {}) => {
    if (waiting.fits(command, options)) return waiting.become(command, options);
    await waiting.close();
    return sandbox.exec(command, options);
  });
}

function withExec(sandbox: Sandbox, exec: Sandbox['exec']): Sandbox {
  return {
    id: sandbox.id,
    exec,
    writeFile: (path, content) => sandbox.writeFile(path, content),
    readFile: (path) => sandbox.readFile(path),
    destroy: () => sandbox.destroy(),
  };
}

function contextOf(request: TrialRequest, { sandbox, waiting, instruction, lane, scene }: Workplace): AgentContext {
  const { task, signal } = request;
  const signals = [signal, lane?.overdue].filter((each) => each !== undefined);
  return {
    sandbox: startingAs(waiting, sandbox),
    instruction,
    timeoutMs: agentTimeoutMs(request),
    reference: async () => task.reference,
    answer: task.answer,
    model: lane?.model,
    signal: signals.length > 0 ? AbortSignal.any(signals) : undefined,
    continuation: scene?.grading?.continuation,
  };
}

/** Goes by what the lane saw first, because nothing inside the sandbox can forge it. */
function statusOf({ exec, couldNotWork = false, note }: AgentRun, end: LaneEnd | undefined): AgentStatus {
  const cameToNothing = couldNotWork || note !== undefined || (exec !== null && exec.exitCode !== 0);
  if (end?.stopped?.status === 'infrastructure' || (end?.lastFailed && cameToNothing)) return 'infrastructure';
  if (end?.stopped) return 'budget';
  if (exec?.timedOut) return 'timed-out';
  return couldNotWork ? 'could-not-work' : 'ended';
}
