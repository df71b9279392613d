import type { AgentContext, AgentRun } from '../agents/agent.ts';
import type { Workplace } from './1-prepare.ts';
import type { TrialRequest } from './trial-request.ts';

/** Agents without a limit of their own stop after this. */
const DEFAULT_AGENT_TIMEOUT_SEC = 1800;

export interface AgentOutcome extends AgentRun {
  /** Standard output and error of the agent, in that order; untrusted. */
  log: string;
  /** With the seal `separate-verifier` off: the nonce of the tests that the agent's process tree went on with. */
  continuedNonce?: string;
}

/** Stage 2: the agent works, until it ends or its time is over. Every process that it started is dead afterwards. */
export async function runAgent(request: TrialRequest, { agent, sandbox, instruction, continued }: Workplace): Promise<AgentOutcome> {
  const { task, timeoutSec, signal } = request;
  const seconds = timeoutSec ?? task.task.toml.agent.timeout_sec ?? DEFAULT_AGENT_TIMEOUT_SEC;
  const context: AgentContext = {
    sandbox, instruction, timeoutMs: seconds * 1000, reference: async () => task.reference,
    ...(signal ? { signal } : {}),
    ...(continued ? { continuation: continued.continuation } : {}),
  };
  const run = await agent.run(context);
  signal?.throwIfAborted();
  const log = run.exec ? `${run.continued ? '' : run.exec.stdout}${run.exec.stderr}` : '';
  return { ...run, log, ...(continued && run.continued ? { continuedNonce: continued.nonce } : {}) };
}
