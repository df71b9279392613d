import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporaryDirectory } from '@assay/files/temporary-directory';
import type { Leak } from '@assay/protocol';
import type { LeakNeedle } from './needle.ts';
import { dropNeedlesIn, scanForLeaks, type ScanOptions } from './scan-for-leaks.ts';

export interface InstructionTexts {
  instruction: string;
  /** What it tells of hidden tests by choice: statements that set a call up are told as the test has them. */
  told: readonly string[];
}

/**
 * Looks for needles in an instruction. Lines of hidden tests that it tells by choice are no leak there, as they are
 * everywhere else; lines of the reference always are. Throws `INTERRUPTED`.
 */
export async function instructionLeaks(
  { reference, tests }: { reference: readonly LeakNeedle[]; tests: LeakNeedle[] },
  { instruction, told }: InstructionTexts,
  options: Pick<ScanOptions, 'signal'> = {},
): Promise<Leak[]> {
  const directory = await makeTemporaryDirectory('instruction');
  const path = join(directory, 'instruction.md');
  const roots = [{ label: 'instruction', directory }];
  try {
    await writeFile(path, told.join('\n\n'));
    const untold = await dropNeedlesIn(tests, roots, options);
    await writeFile(path, instruction);
    return await scanForLeaks([...reference, ...untold], roots, options);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
