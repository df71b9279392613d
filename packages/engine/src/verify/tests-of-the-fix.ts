import type { SplitOracle } from '../bundle/split-oracle.ts';
import type { RepositoryTask } from '../bundle/task.ts';
import { ecosystemOf } from '../ecosystems/index.ts';

/** A task, and what of its tests is compared outside. */
export interface TaskTests {
  task: RepositoryTask;
  split: SplitOracle | null;
}

/** Some of a task's tests. */
export interface SomeTests extends TaskTests {
  /** Of their files no other test is run. */
  selects: boolean;
}

/**
 * The tests of the fix alone, where the runner can be asked for single tests; else those of the files that hold them.
 * Null when these are all. What fails them fails the task; what passes them may fail it nevertheless.
 */
export function testsOfTheFix({ task, split }: TaskTests): SomeTests | null {
  const { test, fail_to_pass, pass_to_pass } = task.meta;
  const { tests: facet } = ecosystemOf(test.ecosystem);
  const fileOf = (id: string): string => facet.splitId(id).file;
  const files = [...new Set(fail_to_pass.map(fileOf))];
  const selects = facet.selects?.includes(test.runner) ?? false;
  if (selects ? pass_to_pass.length === 0 : files.length >= test.files.length) return null;
  const isKept = (id: string): boolean => (selects ? fail_to_pass.includes(id) : files.includes(fileOf(id)));
  const meta = { ...task.meta, test: { ...test, files }, pass_to_pass: pass_to_pass.filter(isKept) };
  const plan = split && {
    ...split.plan,
    files: split.plan.files.filter((file) => files.includes(file)),
    tests: split.plan.tests.filter(({ id }) => isKept(id)),
  };
  return { task: { ...task, meta }, split: split && plan && { ...split, plan }, selects };
}
