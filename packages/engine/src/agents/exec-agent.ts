import type { AgentMount } from '@assay/protocol';
import type { ExecOptions, ExecResult, Mount } from '@assay/sandbox';
import type { Agent, AgentContext, AgentRun } from './agent.ts';

/** Exit codes of a shell for a command that cannot be run and for one that does not exist. */
const COULD_NOT_RUN = [126, 127];

export interface ExecAgentOptions {
  /** Default `exec`. */
  name?: string;
  /** The agent's own files, mounted read-only. */
  mounts?: readonly AgentMount[];
}

/**
 * Runs any command line inside the sandbox, in the repository, with the instruction on standard input and in
 * `$ASSAY_INSTRUCTION`.
 */
export function execAgent(command: string, { name = 'exec', mounts = [] }: ExecAgentOptions = {}): Agent {
  const files = mounts.map(({ source, target }): Mount => ({ kind: 'read-only', source, target }));
  return {
    name,
    outfit: files.length > 0 ? async () => ({ mounts: files }) : undefined,
    run: async (context) => {
      const exec = await context.sandbox.exec(command, execOptions(command, context));
      if (context.continuation !== undefined) return { exec, continued: true };
      return { exec, ...endOf(exec) };
    },
  };
}

/** Tells a command that does not exist, and so never began, from one that failed at the task. */
function endOf({ exitCode, timedOut }: ExecResult): Pick<AgentRun, 'couldNotWork' | 'note'> {
  if (timedOut || !COULD_NOT_RUN.includes(exitCode)) return {};
  return {
    couldNotWork: true,
    note:
      `the command could not be run (exit code ${exitCode}): ` +
      'it is looked up inside the sandbox, which has files of this machine only by --mount',
  };
}

function execOptions(command: string, { instruction, timeoutMs, signal, continuation }: AgentContext): ExecOptions {
  const options: ExecOptions = {
    cwd: '/workspace',
    env: { ASSAY_INSTRUCTION: instruction },
    stdin: instruction,
    timeout: timeoutMs,
    signal,
  };
  if (!continuation) return options;
  // The agent's own output goes to standard error, which leaves standard output to the channel of the tests that
  // follow.
  return {
    ...options,
    env: { ...options.env, ...continuation.env },
    stdin: continuation.stdin,
    argv: ['sh', '-c', '(eval "$0") </dev/null >&2; exec "$@"', command, ...continuation.argv],
  };
}
