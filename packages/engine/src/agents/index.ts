import { AssayError } from '@assay/protocol';
import { CHEATS } from '../cheats/index.ts';
import type { Agent } from './agent.ts';
import { CLI_RECIPES, findCliAgent } from './cli/find-cli-agent.ts';
import { execAgent } from './exec-agent.ts';
import { loop } from './loop.ts';
import { nop } from './nop.ts';
import { oracle } from './oracle.ts';
import { singleTurn } from './single-turn.ts';

/** The names that `--agent` takes. */
export const AGENT_NAMES: readonly string[] = [
  'oracle',
  'nop',
  'exec',
  'loop',
  'single-turn',
  ...CLI_RECIPES.map(({ name }) => name),
  'cheat:<id>',
];

/**
 * The agent of that name. Throws `UNKNOWN_AGENT`, and `BAD_OPTION` when `exec` has no command or a version is none.
 * Cheats are made by `run/`, as they need a scene.
 */
export function findAgent(name: string, command?: string): Agent | { cheat: string } {
  if (name === 'oracle') return oracle;
  if (name === 'nop') return nop;
  if (name === 'loop') return loop;
  if (name === 'single-turn') return singleTurn;
  if (name === 'exec') {
    if (!command)
      throw new AssayError('BAD_OPTION', {
        option: '--agent exec',
        detail: 'give the command after --, as in: --agent exec -- ./solve.sh',
      });
    return execAgent(command);
  }
  const program = findCliAgent(name);
  if (program !== null) return program;
  const id = /^cheat:(.+)$/.exec(name)?.[1];
  if (id && CHEATS.some((cheat) => cheat.id === id)) return { cheat: id };
  throw new AssayError('UNKNOWN_AGENT', {
    name,
    known: `${AGENT_NAMES.slice(0, -1).join(', ')}, ${CHEATS.map((cheat) => `cheat:${cheat.id}`).join(', ')}`,
  });
}
