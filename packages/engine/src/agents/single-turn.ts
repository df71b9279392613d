import { programAgent } from './program-agent.ts';

/** Shows the model the task, and the repository as far as it fits, once, and writes the files that the answer holds. */
export const singleTurn = programAgent('single-turn');
