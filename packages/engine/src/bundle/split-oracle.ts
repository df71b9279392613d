import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError, SplitPlan } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import { digestChange } from '@assay/files/digest-change';
import { readChangeFiles, writeChangeFiles } from './change-files.ts';

/** What grading needs to compare hidden tests outside of the submission's process. */
export interface SplitOracle {
  plan: SplitPlan;
  /** The hidden tests with their expectations taken out, as a change against T0. */
  stripped: ChangeSet;
  /** Tests that cannot pass, as a change against T0; null when the plan names none. */
  control: ChangeSet | null;
}

/** Directory of the oracle in a bundle; only bundles that were split have it. */
export const SPLIT_DIRECTORY = 'tests/split';
export const PLAN_FILE = `${SPLIT_DIRECTORY}/plan.json`;

export async function writeSplitOracle(bundle: string, { plan, stripped, control }: SplitOracle): Promise<void> {
  const directory = join(bundle, SPLIT_DIRECTORY);
  await mkdir(directory, { recursive: true });
  await writeFile(join(bundle, PLAN_FILE), `${JSON.stringify(plan)}\n`);
  await writeChangeFiles(join(directory, 'stripped'), stripped);
  if (control) await writeChangeFiles(join(directory, 'control'), control);
}

/**
 * Reads the oracle of a bundle; null when it has none. Throws `TASK_INVALID` when the plan is broken or was made for
 * other tests.
 */
export async function readSplitOracle(bundle: string, hidden: ChangeSet): Promise<SplitOracle | null> {
  const file = join(bundle, PLAN_FILE);
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return null;
  const plan = parsePlan(file, text);
  const stripped = await readChangeFiles(join(bundle, SPLIT_DIRECTORY, 'stripped'));
  if (plan.hidden !== digestChange(hidden)) throw invalid(file, 'hidden', 'it was made for other hidden tests');
  if (plan.stripped !== digestChange(stripped)) throw invalid(file, 'stripped', 'it belongs to other stripped tests');
  const control = plan.control.length > 0 ? await readChangeFiles(join(bundle, SPLIT_DIRECTORY, 'control')) : null;
  return { plan, stripped, control };
}

function parsePlan(file: string, text: string): SplitPlan {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid(file, 'plan.json', 'is no JSON');
  }
  const plan = SplitPlan.safeParse(value);
  if (plan.success) return plan.data;
  const [issue] = plan.error.issues;
  throw invalid(file, issue?.path.join('.') ?? 'plan.json', issue?.message ?? 'is no plan');
}

const invalid = (file: string, field: string, detail: string): AssayError =>
  new AssayError('TASK_INVALID', { file, line: 1, field, detail });
