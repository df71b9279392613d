import { programAgent } from './program-agent.ts';

/** Shows the model the task, and as much of the repository as fits, once, and writes the files in its answer. */
export const singleTurn = programAgent('single-turn');
