import type { ScenarioTaskResult } from '@assay/protocol';
import { proofText } from './outcome.ts';
import type { Terminal } from './terminal.ts';

/** Lists the written tasks, one a line, and says what to do with them. */
export function renderScenarioTasks({ directory, tasks }: ScenarioTaskResult, terminal: Terminal): string {
  const width = Math.max(...tasks.map(({ task }) => task.length));
  const place = terminal.foreign(directory);
  return `${[
    ...tasks.map((task) => `${task.task.padEnd(width)}  ${provenText(task)}`),
    `Wrote ${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'} to ${place}. Run: assay run ${place} --agent NAME`,
  ].join('\n')}\n`;
}

function provenText({ reference, proof }: ScenarioTaskResult['tasks'][number]): string {
  if (proof) return `proven: ${proofText(proof)}`;
  return reference ? 'not proven; `assay validate` does it' : 'no reference app, so it cannot be proven';
}
