import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AssayError, SplitPlan, type TestCommand } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import { digestChange } from '@assay/files/digest-change';
import { ecosystemOf } from '../ecosystems/index.ts';
import { checkPath, readChangeFiles, writeChangeFiles } from './change-files.ts';

/** What grading needs to compare hidden tests outside of the submission's process. */
export interface SplitOracle {
  plan: SplitPlan;
  /** The hidden tests with their expectations taken out, as a change against T0. */
  stripped: ChangeSet;
  /** Tests that cannot pass, as a change against T0; null when the plan names none. */
  control: ChangeSet | null;
}

/** Lists the files with tests that run as they were written. */
export function insideFiles(plan: SplitPlan, command: Pick<TestCommand, 'ecosystem'>): string[] {
  return testFiles(
    plan.tests.flatMap(({ id, stripped }) => (stripped === undefined ? [id] : [])),
    command,
  );
}

/** Lists the files with tests that have a control. */
export const controlFiles = (plan: SplitPlan, command: Pick<TestCommand, 'ecosystem'>): string[] =>
  testFiles(plan.control, command);

/** Lists the files of tests, sorted. */
export function testFiles(ids: readonly string[], { ecosystem }: Pick<TestCommand, 'ecosystem'>): string[] {
  const { tests } = ecosystemOf(ecosystem);
  return [...new Set(ids.map((id) => tests.splitId(id).file))].sort();
}

/** Directory of the oracle in a bundle; only bundles that were split have it. */
export const SPLIT_DIRECTORY = 'tests/split';
export const EVALUATOR_DIRECTORY = 'tests/oracle';
export const PLAN_FILE = `${SPLIT_DIRECTORY}/plan.json`;

/** Writes the oracle, with the program that compares in Harbor's verifier. Replaces one that is there. */
export async function writeSplitOracle(
  bundle: string,
  { plan, stripped, control }: SplitOracle,
  { ecosystem }: Pick<TestCommand, 'ecosystem'>,
): Promise<void> {
  await removeSplitOracle(bundle);
  const directory = join(bundle, SPLIT_DIRECTORY);
  await mkdir(directory, { recursive: true });
  await writeFile(join(bundle, PLAN_FILE), `${JSON.stringify(plan)}\n`);
  await writeChangeFiles(join(directory, 'stripped'), stripped);
  if (control) await writeChangeFiles(join(directory, 'control'), control);
  await writeEvaluator(join(bundle, EVALUATOR_DIRECTORY), ecosystem);
}

export async function removeSplitOracle(bundle: string): Promise<void> {
  for (const directory of [SPLIT_DIRECTORY, EVALUATOR_DIRECTORY])
    await rm(join(bundle, directory), { recursive: true, force: true });
}

/** Copies what evaluates; in the verifier's image it lies at `/opt/oracle`. */
async function writeEvaluator(directory: string, ecosystem: string): Promise<void> {
  const files = (await ecosystemOf(ecosystem).split?.evaluatorFiles()) ?? new Map<string, string | Uint8Array>();
  for (const [path, source] of files) {
    const target = join(directory, checkPath(directory, path));
    await mkdir(dirname(target), { recursive: true });
    await (typeof source === 'string' ? copyFile(source, target) : writeFile(target, source));
    await chmod(target, 0o644);
  }
}

/**
 * Reads the oracle of a bundle; null when it has none. Throws `TASK_INVALID` when the plan is broken or was made for
 * other tests, and `SPLIT_OUTDATED` when another version of the evaluator made it.
 */
export async function readSplitOracle(
  bundle: string,
  hidden: ChangeSet,
  { ecosystem }: Pick<TestCommand, 'ecosystem'>,
): Promise<SplitOracle | null> {
  const file = join(bundle, PLAN_FILE);
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return null;
  const plan = parsePlan(file, text);
  const version = ecosystemOf(ecosystem).split?.version;
  if (plan.evaluator !== version)
    throw new AssayError('SPLIT_OUTDATED', { path: bundle, made: plan.evaluator, version: version ?? 'none' });
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
