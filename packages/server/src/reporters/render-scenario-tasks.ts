import type { ScenarioTaskResult } from '@assay/protocol';
import type { Terminal } from './terminal.ts';

/** Lists the written tasks, one a line, and says what to do with them. */
export function renderScenarioTasks({ directory, tasks }: ScenarioTaskResult, terminal: Terminal): string {
  const width = Math.max(...tasks.map(({ task }) => task.length));
  return `${[
    ...tasks.map((task) => `${task.task.padEnd(width)}  ${proofText(task)}`),
    `Wrote ${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'} to ${terminal.foreign(directory)}. Run: assay run ${terminal.foreign(directory)} --agent NAME`,
  ].join('\n')}\n`;
}

function proofText({ reference, proof }: ScenarioTaskResult['tasks'][number]): string {
  if (proof)
    return `proven: reference ${proof.reference.passes} of ${proof.reference.runs}, no-op ${proof.noop.passes} of ${proof.noop.runs}`;
  return reference ? 'not proven; `assay validate` does it' : 'no reference app, so it cannot be proven';
}
