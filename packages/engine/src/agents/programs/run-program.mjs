// What the programs of an agent have in common: a request on standard input, and how they end.
import { readFileSync } from 'node:fs';
import { NoAnswer } from './ask-model.mjs';

/** What the program is to do, as `program-agent.ts` writes it. */
export const request = JSON.parse(readFileSync(0, 'utf8'));

/**
 * Runs the work and ends with the exit code that it answers with; a model without an answer has its own.
 * @param {() => Promise<number>} work
 */
export async function runProgram(work) {
  try {
    process.exitCode = await work();
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    console.log(`[no answer] ${error.message}`);
    process.exitCode = request.ends.noAnswer;
  }
}
