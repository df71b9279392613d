import type { Agent } from './agent.ts';

/** Does nothing. The empty submission must never pass. */
export const nop: Agent = { name: 'nop', run: async () => ({ exec: null }) };
