import type { SplitOracle } from '../bundle/split-oracle.ts';
import type { RepositoryTask } from '../bundle/task.ts';
import { ecosystemOf } from '../ecosystems/index.ts';

/** A task, and what of its tests is compared outside. */
export interface TaskTests {
  task: RepositoryTask;
  split: SplitOracle | null;
}

/**
 * The tests of the files alone that hold a test of the fix; null when these are all. What fails them fails the task;
 * what passes them may fail it nevertheless.
 */
export function filesOfTheFix({ task, split }: TaskTests): TaskTests | null {
  const { test, fail_to_pass, pass_to_pass } = task.meta;
  const fileOf = (id: string): string => ecosystemOf(test.ecosystem).tests.splitId(id).file;
  const files = [...new Set(fail_to_pass.map(fileOf))];
  if (files.length >= test.files.length) return null;
  const isKept = (id: string): boolean => files.includes(fileOf(id));
  const meta = { ...task.meta, test: { ...test, files }, pass_to_pass: pass_to_pass.filter(isKept) };
  const plan = split && {
    ...split.plan,
    files: split.plan.files.filter((file) => files.includes(file)),
    tests: split.plan.tests.filter(({ id }) => isKept(id)),
  };
  return { task: { ...task, meta }, split: split && plan && { ...split, plan } };
}
