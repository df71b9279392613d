import type { StandardTaskResult } from '@assay/protocol';
import { proofText } from './outcome.ts';
import type { Terminal } from './terminal.ts';

/** Describes the written task, and says what is unproven. */
export function renderStandardTask(
  { task, directory, answer, proof, unproven, harbor }: StandardTaskResult,
  terminal: Terminal,
): string {
  const shown = proof
    ? `${terminal.style('green', 'proven')}: ${proofText(proof)}`
    : `${terminal.style('yellow', 'unproven')}: ${unproven ?? ''}`;
  const lines = [
    `${terminal.foreign(task)} in ${terminal.foreign(directory)}`,
    `answer: ${answer}`,
    shown,
    ...(harbor === null ? [] : [`Harbor gives no reward: ${harbor}`]),
  ];
  return `${lines.join('\n')}\n`;
}
