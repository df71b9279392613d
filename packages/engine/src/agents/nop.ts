import type { Agent } from './agent.ts';

/** Does nothing: the empty submission, which must never pass. */
export const nop: Agent = { name: 'nop', run: async () => ({ exec: null }) };
