import { AssayError } from '@assay/protocol';
import type { Task } from '../bundle/task.ts';
import type { OpenTask } from './kind.ts';
import type { TaskAttacks } from './scene.ts';

/** The kinds whose tasks have {@link OpenTask.attacks}. */
const ATTACKABLE: ReadonlySet<Task['kind']> = new Set<Task['kind']>(['repository']);

/** Throws `TASK_KIND` for the first task that no cheat can run against. Tells it before any is opened. */
export function requireAttackable(tasks: readonly Task[]): void {
  const other = tasks.find(({ kind }) => !ATTACKABLE.has(kind));
  if (other) throw notAttackable(other);
}

/** Returns the attacks on an open task. Throws `TASK_KIND` where it has none. */
export function requireAttacks({ task, attacks }: OpenTask): TaskAttacks {
  if (!attacks) throw notAttackable(task);
  return attacks;
}

const notAttackable = ({ directory, kind }: Task): AssayError =>
  new AssayError('TASK_KIND', { path: directory, kind, wanted: [...ATTACKABLE].join(' and ') });
