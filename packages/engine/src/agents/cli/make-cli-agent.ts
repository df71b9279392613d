import { posix } from 'node:path';
import { AssayError } from '@assay/protocol';
import type { ExecOptions, Mount } from '@assay/sandbox';
import type { AgentContext, AgentModel } from '../agent.ts';
import type { CliAgent, CliAgentRun, CliEnd, CliLaunch, CliRecipe } from './cli-agent.ts';
import { coverSteering } from './cover-steering.ts';
import { EventLog } from './event-log.ts';
import { cliPlatform, installCli } from './install-cli.ts';
import { readEnd } from './read-end.ts';

const HOME = '/home/user';
const MODULES = '/opt/agent/node_modules';
const NODE = '/opt/agent/node';

/**
 * Notes for the verdict on each end, in our words, as the agent's own are untrusted. The sandbox reports the time
 * limit, the lane a stop.
 */
const NOTES: Readonly<Record<CliEnd['state'], { couldNotWork?: boolean; note?: string }>> = {
  ended: {},
  stopped: { note: 'the agent ended when the model lane refused to go on' },
  failed: { note: 'the agent reported an error' },
  'could-not-work': { couldNotWork: true, note: 'the agent refused to start, or its tools were denied' },
  limits: { couldNotWork: true, note: 'the agent reached a limit of its own, or of the sandbox on memory' },
};

/**
 * Makes the agent of a recipe at a version. Its sandbox must be made with the result of `outfit` and a lane to its
 * model.
 */
export function makeCliAgent(recipe: CliRecipe, version: string = recipe.version): CliAgent {
  const install: CliAgent['install'] = (options) => installCli(recipe, version, options);
  return {
    name: recipe.name,
    recipe,
    version,
    model: { dialects: recipe.dialects },
    install,
    outfit: async ({ t0Directory, ...options }) => {
      const installed = await install(options);
      const cover = await coverSteering(t0Directory, recipe.steering);
      const mounts: Mount[] = [
        { kind: 'read-only', source: posix.join(installed.directory, 'node_modules'), target: MODULES },
        // In a place of its own, because the task may have brought another Node.
        ...(recipe.needsNode ? [{ kind: 'read-only' as const, source: process.execPath, target: NODE }] : []),
        ...cover.mounts,
      ];
      return { mounts, deleted: cover.deleted, covered: cover.covered };
    },
    run: (context) => runCli(recipe, context),
  };
}

async function runCli(recipe: CliRecipe, context: AgentContext): Promise<CliAgentRun> {
  const { sandbox, instruction, timeoutMs, signal } = context;
  const launch = launchOf(recipe, context.model);
  for (const [path, text] of Object.entries(launch.files)) await sandbox.writeFile(path, text);
  const log = new EventLog(recipe.telling);
  const exec = await sandbox.exec('', {
    ...commandOf(launch),
    cwd: '/workspace',
    stdin: instruction,
    timeout: timeoutMs,
    onStdout: (text) => log.push(text),
    signal,
  });
  log.close();
  const end = readEnd(recipe, log, exec);
  return exec.timedOut ? { exec, end } : { exec, end, ...NOTES[end.state] };
}

function launchOf(recipe: CliRecipe, model: AgentModel | undefined): CliLaunch {
  const dialect = recipe.dialects.find((each) => model?.endpoints[each] !== undefined);
  const endpoint = dialect && model?.endpoints[dialect];
  if (model === undefined || dialect === undefined || endpoint === undefined)
    throw new AssayError('IMPOSSIBLE', { detail: `${recipe.name} has no lane to a model in a dialect that it speaks` });
  return recipe.launch({
    model: model.name,
    dialect,
    endpoint,
    token: model.token,
    modules: MODULES,
    platform: cliPlatform(),
    home: HOME,
  });
}

/** Returns the command to run. Directories of the agent's own programs come after the task's in PATH. */
function commandOf({ argv, env, path = [] }: CliLaunch): Pick<ExecOptions, 'argv' | 'env'> {
  const [program = '', ...rest] = argv;
  const command = program === 'node' ? NODE : program;
  const own = { ...env, HOME };
  if (path.length === 0) return { argv: [command, ...rest], env: own };
  return {
    argv: ['/bin/sh', '-c', 'PATH="$PATH:$0"; export PATH; exec "$@"', path.join(':'), command, ...rest],
    env: own,
  };
}
