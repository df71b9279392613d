import { fileURLToPath } from 'node:url';
import { AssayError } from '@assay/protocol';
import type { ExecResult } from '@assay/sandbox';
import type { Agent, AgentContext, AgentRun } from './agent.ts';

const PROGRAMS = fileURLToPath(new URL('programs', import.meta.url));
const INSIDE = '/opt/assay-agent';

/** Exit codes, passed to the program; 0 is an end like any other agent's. */
const ENDS = { ownLimit: 81, noAnswer: 82, nothingWritten: 83 };

/** Limits that one of our own programs enforces on itself. */
export interface ProgramLimits {
  /** Number of answers from the model. */
  turns: number;
  /** Bytes of one command's output that the model sees. */
  outputBytes: number;
  /** Bytes of files shown to the model before it answers. */
  shownBytes: number;
}

const DEFAULT_LIMITS: ProgramLimits = { turns: 200, outputBytes: 32 * 1024, shownBytes: 256 * 1024 };

/**
 * Makes an agent of one of our own programs in `programs/`. It runs inside the sandbox on the Node that runs this
 * process, and talks to the model by OpenAI's chat interface.
 */
export function programAgent(name: 'loop' | 'single-turn', limits: Partial<ProgramLimits> = {}): Agent {
  return {
    name,
    model: { dialects: ['openai-chat'] },
    outfit: async () => ({
      mounts: [
        { kind: 'read-only', source: PROGRAMS, target: `${INSIDE}/programs` },
        { kind: 'read-only', source: process.execPath, target: `${INSIDE}/node` },
      ],
    }),
    run: async (context) => {
      const exec = await context.sandbox.exec('', {
        argv: [`${INSIDE}/node`, `${INSIDE}/programs/${name}.mjs`],
        cwd: '/workspace',
        // Not in the environment or on the command line, where the model's commands would show it by accident.
        stdin: JSON.stringify(requestOf(context, { ...DEFAULT_LIMITS, ...limits })),
        timeout: context.timeoutMs,
        signal: context.signal,
      });
      return { exec, ...endOf(exec) };
    },
  };
}

function requestOf({ instruction, answer, model }: AgentContext, limits: ProgramLimits): object {
  const baseUrl = model?.endpoints['openai-chat'];
  if (model === undefined || baseUrl === undefined)
    throw new AssayError('IMPOSSIBLE', { detail: 'an agent that asks a model has no lane to one' });
  return { instruction, answer, address: { baseUrl, token: model.token, model: model.name }, limits, ends: ENDS };
}

function endOf({ exitCode, timedOut }: ExecResult): Pick<AgentRun, 'couldNotWork' | 'note'> {
  if (timedOut || exitCode === 0) return {};
  switch (exitCode) {
    case ENDS.ownLimit:
      return { couldNotWork: true, note: 'the agent reached its own limit of answers' };
    case ENDS.noAnswer:
      return { couldNotWork: true, note: 'the agent got no answer from the model that it could use' };
    case ENDS.nothingWritten:
      return { note: 'the answer of the model held nothing that could be written' };
    default:
      return { couldNotWork: true, note: `the agent's program ended with ${exitCode}` };
  }
}
