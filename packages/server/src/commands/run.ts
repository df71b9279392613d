import { AssayError } from '@assay/protocol/errors';
import { defineCommand } from '../command.ts';
import { scenarioTasks } from '../scenario-tasks.ts';
import { shellWord } from '../shell-word.ts';
import { agentModel, given, judgeAddress, judgeOptions, modelOptions, providerOption } from './shared-options.ts';

export const run = defineCommand({
  name: 'run',
  summary: 'run an agent on a task, or on every task of a directory',
  description: `Each attempt runs in a sandbox of its own, and is graded in another one after the first is gone. Writes
a job directory and prints the pass rate with its 95 % interval (Wilson). Agents: oracle (hands in the reference
solution), nop (hands in nothing), exec (any command line, see below), loop (a small shell agent for any chat model),
single-turn (asks a chat model once and writes the files), claude-code, codex, gemini-cli and opencode (installed from
npm once; NAME@VERSION for another version) and cheat:ID (an attack of \`assay cheats\`). A model is asked from inside
the sandbox through a lane; its key is in ASSAY_MODEL_KEY, or in the variable of the provider, and stays outside. What
--max-requests, --max-tokens and --max-usd say is for each trial. exec runs what follows -- inside the sandbox, in the
repository, with the instruction on standard input and in $ASSAY_INSTRUCTION: one word is a shell line, several are a
command and its arguments. It finds files of this machine there only with --mount. Exits 1 when a task could not be
tried; the others go on.`,
  example: 'assay run tasks --agent exec -k 4 -n 2 --mount my-agent -- /opt/agent/solve.sh --fast',
  arguments: [{ name: 'path', description: 'a task, or a directory of tasks' }],
  options: {
    agent: {
      kind: 'text',
      value: 'NAME',
      required: true,
      description: 'oracle, nop, exec, loop, single-turn, claude-code, codex, gemini-cli, opencode or cheat:ID',
    },
    ...modelOptions,
    attempts: { kind: 'count', short: 'k', value: 'N', default: 1, description: 'attempts at each task' },
    parallel: { kind: 'count', short: 'n', value: 'N', default: 1, description: 'trials at the same time' },
    timeout: {
      kind: 'seconds',
      value: 'SECONDS',
      description: "how long the agent may take (default: the task's own limit)",
    },
    mount: {
      kind: 'list',
      value: 'DIR[:TARGET]',
      description: 'give --agent exec this directory, read-only, at TARGET (default: /opt/agent); may be repeated',
    },
    provider: providerOption,
    ...judgeOptions,
    unseal: {
      kind: 'list',
      value: 'SEAL',
      description: 'take one seal off, for a positive control; may be repeated (docs/seals.md)',
    },
    out: { kind: 'text', value: 'DIR', description: 'job directory (default: a new one in jobs/)' },
    resume: { kind: 'flag', description: 'go on with the job in --out: only what is missing is run' },
  },
  rest: 'COMMAND…',
  async run(
    { path, agent, attempts, parallel, timeout, mount, provider, unseal, out, resume, ...options },
    { signal, onEvent, rest },
  ) {
    if (rest.length > 0 && agent !== 'exec')
      throw new AssayError('BAD_OPTION', { option: '--', detail: `only --agent exec takes a command, not ${agent}` });
    if (resume && out === undefined)
      throw new AssayError('BAD_OPTION', { option: '--resume', detail: 'say with --out which job to go on with' });
    const judge = judgeAddress(options);
    const model = agentModel(options);
    const { runJob } = await import('@assay/engine/job/run-job');
    const { renderJob } = await import('../reporters/render-job.ts');
    const agentCommand = rest.length > 0 ? shellLine(rest) : undefined;
    const result = await runJob({
      path,
      agent,
      attempts,
      parallel,
      agentMounts: mount,
      unseal,
      resume,
      scenarios: scenarioTasks(),
      signal,
      onEvent,
      ...given({ agentCommand, timeoutSec: timeout, provider, out, judge, model }),
    });
    return {
      exitCode: result.failures.length > 0 ? 1 : 0,
      document: result,
      render: (terminal) => renderJob(result, terminal),
    };
  },
});

/** One word is a shell line as it is; of several, each is one word to the shell. */
function shellLine(words: readonly string[]): string {
  const [first = ''] = words;
  if (words.length === 1) return first;
  return words.map(shellWord).join(' ');
}
