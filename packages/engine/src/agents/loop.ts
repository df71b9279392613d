import { programAgent } from './program-agent.ts';

/** A small shell agent for any chat model: it runs the commands that the model asks for until an answer has none. */
export const loop = programAgent('loop');
