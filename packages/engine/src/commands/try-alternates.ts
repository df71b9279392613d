import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AssayError, type AlternateReport } from '@assay/protocol';
import type { OpenTask, VerifyOptions } from '../kinds/kind.ts';
import { verifyByPolicy } from '../kinds/verify-by-policy.ts';
import { readSubmission } from './grade.ts';

/** Paths of other right solutions, by the ids of their tasks. */
export type Alternates = ReadonlyMap<string, readonly string[]>;

/**
 * Lists the solutions in a directory, each a directory or a patch as `grade` takes it: those of a task in a directory
 * of its id, or of the only task in the directory itself. Throws `BAD_OPTION` when there are none.
 */
export async function findAlternates(directory: string, ids: readonly string[]): Promise<Alternates> {
  const root = resolve(directory);
  const found = new Map<string, readonly string[]>();
  const names = await list(root);
  for (const id of ids) if (names.includes(id)) found.set(id, await pathsIn(join(root, id)));
  const [only] = ids;
  if (found.size === 0 && only !== undefined && ids.length === 1) found.set(only, await pathsIn(root));
  if ([...found.values()].every((paths) => paths.length === 0))
    throw new AssayError('BAD_OPTION', { option: '--alternates', detail: `${directory} holds no solution of a task` });
  return found;
}

const pathsIn = async (directory: string): Promise<string[]> =>
  (await list(directory)).map((name) => join(directory, name));

async function list(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => {
    throw new AssayError('BAD_OPTION', { option: '--alternates', detail: `${directory} is no directory` });
  });
  return names.filter((name) => !name.startsWith('.')).sort();
}

/**
 * Grades other right solutions. What a test demands of them beyond the instruction is in the reports of those that
 * fail. Throws as `readSubmission` does.
 */
export async function tryAlternates(
  open: OpenTask,
  paths: readonly string[],
  options: VerifyOptions & { progress?: (text: string) => void },
): Promise<AlternateReport[]> {
  const reports: AlternateReport[] = [];
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    options.progress?.(`alternate ${name}`);
    const submission = await readSubmission(path, open);
    const { verdict } = await verifyByPolicy(open, submission, options);
    const { outcome } = verdict;
    const failed = verdict.tests.filter(({ status }) => status !== 'passed');
    const why = outcome === 'fail' ? await open.explain?.(submission, verdict, options) : undefined;
    reports.push({ name, outcome, failed, demands: [], ...why });
  }
  return reports;
}

/** Says of those that do not pass why a task does not hold. */
export function alternateReasons(reports: readonly AlternateReport[]): string[] {
  return reports
    .filter(({ outcome }) => outcome !== 'pass')
    .map(({ name, outcome, failed, demands }) => {
      if (outcome === 'invalid') return `the alternate ${name} could not be judged`;
      const wants = demands.map(({ text, where }) => `${where} wants ${JSON.stringify(text)}`);
      const tests = failed.map(({ id }) => id);
      return [`the alternate ${name} fails ${tests.slice(0, 3).join(', ')}`, ...wants.slice(0, 3)].join('; ');
    });
}
