import type { ExecOptions } from '@assay/sandbox';
import type { Agent, AgentContext } from './agent.ts';

/**
 * Any command line, run inside the sandbox in the repository, with the instruction on standard input and in
 * `$ASSAY_INSTRUCTION`.
 */
export function execAgent(command: string, name = 'exec'): Agent {
  return {
    name,
    run: async (context) => ({
      exec: await context.sandbox.exec(command, execOptions(command, context)),
      continued: context.continuation !== undefined,
    }),
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
  // The agent's own output goes to standard error, so that standard output is the channel of the tests that follow.
  return {
    ...options,
    env: { ...options.env, ...continuation.env },
    stdin: continuation.stdin,
    argv: ['sh', '-c', '(eval "$0") </dev/null >&2; exec "$@"', command, ...continuation.argv],
  };
}
