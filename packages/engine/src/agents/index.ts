import { AssayError } from '@assay/protocol';
import { CHEATS } from '../cheats/index.ts';
import type { Agent } from './agent.ts';
import { execAgent } from './exec-agent.ts';
import { loop } from './loop.ts';
import { nop } from './nop.ts';
import { oracle } from './oracle.ts';
import { singleTurn } from './single-turn.ts';

/** The names that `--agent` takes. */
export const AGENT_NAMES = ['oracle', 'nop', 'exec', 'loop', 'single-turn', 'cheat:<id>'] as const;

/** The agent of that name. Throws `UNKNOWN_AGENT`, and `BAD_OPTION` when `exec` has no command. Cheats are made by `run/`, as they need a scene. */
export function findAgent(name: string, command?: string): Agent | { cheat: string } {
  if (name === 'oracle') return oracle;
  if (name === 'nop') return nop;
  if (name === 'loop') return loop;
  if (name === 'single-turn') return singleTurn;
  if (name === 'exec') {
    if (!command) throw new AssayError('BAD_OPTION', { option: '--agent exec', detail: 'give the command after --, as in: --agent exec -- ./solve.sh' });
    return execAgent(command);
  }
  const id = /^cheat:(.+)$/.exec(name)?.[1];
  if (id && CHEATS.some((cheat) => cheat.id === id)) return { cheat: id };
  throw new AssayError('UNKNOWN_AGENT', { name, known: `${AGENT_NAMES.slice(0, -1).join(', ')}, ${CHEATS.map((cheat) => `cheat:${cheat.id}`).join(', ')}` });
}
