import { AssayError, type AgentMount } from '@assay/protocol';
import { CHEATS } from '../cheats/index.ts';
import type { Agent } from './agent.ts';
import { CLI_RECIPES, findCliAgent } from './cli/find-cli-agent.ts';
import { execAgent } from './exec-agent.ts';
import { loop } from './loop.ts';
import { nop } from './nop.ts';
import { oracle } from './oracle.ts';
import { singleTurn } from './single-turn.ts';

/** Names that `--agent` accepts. */
export const AGENT_NAMES: readonly string[] = [
  'oracle',
  'nop',
  'exec',
  'loop',
  'single-turn',
  ...CLI_RECIPES.map(({ name }) => name),
  'cheat:<id>',
];

const registered: Agent[] = [];

/**
 * Registers an agent in this process, for `--agent` and `runJob` to find by name. Throws `BAD_OPTION` when the name is
 * taken or invalid.
 */
export function registerAgent(agent: Agent): void {
  const taken = [...AGENT_NAMES, ...registered.map(({ name }) => name)].includes(agent.name);
  const problem = taken ? 'is taken' : /^[a-z][\w-]*$/.test(agent.name) ? null : 'is no name';
  if (problem !== null)
    throw new AssayError('BAD_OPTION', { option: 'registerAgent', detail: `"${agent.name}" ${problem}` });
  registered.push(agent);
}

/**
 * Returns the agent of a name. Throws `UNKNOWN_AGENT`, and `BAD_OPTION` when `exec` has no command or a version is
 * invalid. `trial/` makes the cheats, which need a scene.
 */
export function findAgent(
  name: string,
  { command, mounts }: { command?: string; mounts?: readonly AgentMount[] } = {},
): Agent | { cheat: string } {
  if (name === 'oracle') return oracle;
  if (name === 'nop') return nop;
  if (name === 'loop') return loop;
  if (name === 'single-turn') return singleTurn;
  if (name === 'exec') {
    if (!command)
      throw new AssayError('BAD_OPTION', {
        option: '--agent exec',
        detail: 'give the command after --, as in: --agent exec -- ./scripts/solve.sh',
      });
    return execAgent(command, { mounts });
  }
  const own = registered.find((agent) => agent.name === name);
  if (own) return own;
  const program = findCliAgent(name);
  if (program !== null) return program;
  const id = /^cheat:(.+)$/.exec(name)?.[1];
  if (id && CHEATS.some((cheat) => cheat.id === id)) return { cheat: id };
  const known = [...AGENT_NAMES.slice(0, -1), ...registered.map((agent) => agent.name)];
  throw new AssayError('UNKNOWN_AGENT', {
    name,
    known: [...known, ...CHEATS.map((cheat) => `cheat:${cheat.id}`)].join(', '),
  });
}
