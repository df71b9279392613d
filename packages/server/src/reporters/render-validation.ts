import type { ItemFailure, MutantReport, RunCount, TaskReport } from '@assay/protocol';
import { failureLines } from './render-job.ts';
import { renderTable } from './render-table.ts';
import type { Terminal } from './terminal.ts';

const SURVIVORS_SHOWN = 10;
const LOG_LINES = 20;

/** One row a task; below, the reasons of those that do not hold, and the mutants that tests let pass. */
export function renderValidation(
  tasks: readonly TaskReport[],
  terminal: Terminal,
  failures: readonly ItemFailure[] = [],
): string {
  const table = renderTable(
    [
      { title: 'task', shrink: true },
      { title: 'reference', align: 'right' },
      { title: 'no-op', align: 'right' },
      { title: 'tests only', align: 'right' },
      { title: 'half', align: 'right' },
      { title: 'leaks', align: 'right' },
      { title: 'mutants killed', align: 'right' },
      { title: 'holds' },
    ],
    tasks.map((task) => [
      terminal.foreign(task.id),
      passes(task.reference),
      passes(task.noop),
      passes(task.testsOnly),
      passes(task.half),
      String(task.leaks.length),
      killed(task.mutants),
      task.admitted ? 'yes' : 'no',
    ]),
    terminal,
    (text, column, row) => (column === 7 ? terminal.style(tasks[row]?.admitted ? 'green' : 'red', text) : text),
  );
  const reasons = tasks.flatMap((task) =>
    task.reasons.map((reason) => `${terminal.foreign(task.id)}: ${terminal.foreign(reason)}\n`),
  );
  const survivors = tasks.flatMap(({ id, mutants }) => survivorLines(id, mutants, terminal));
  const alternates = tasks.flatMap((task) => alternateLines(task, terminal));
  const holding = tasks.filter((task) => task.admitted).length;
  const total = `${holding} of ${tasks.length + failures.length} tasks hold.\n`;
  return `${table}\n${reasons.join('')}${survivors.join('')}${alternates.join('')}${failureLines(failures, terminal)}${total}`;
}

function passes(count: RunCount | undefined): string {
  return count === undefined ? '-' : `${count.passes}/${count.runs}`;
}

function killed(mutants: MutantReport | undefined): string {
  return mutants === undefined ? '-' : `${mutants.killed}/${mutants.run}`;
}

function survivorLines(id: string, mutants: MutantReport | undefined, terminal: Terminal): string[] {
  if (!mutants) return [];
  const { survivors, notRun } = mutants;
  const more = survivors.length - SURVIVORS_SHOWN;
  return [
    ...survivors
      .slice(0, SURVIVORS_SHOWN)
      .map(({ path, line, change }) => `${id}: tests let pass ${path}:${line} ${change}`),
    ...(more > 0 ? [`${id}: ${more} more mutants pass`] : []),
    ...(notRun > 0 ? [`${id}: ${notRun} mutants were not run`] : []),
  ].map((text) => `${terminal.foreign(text)}\n`);
}

/** What the tests demand of other right solutions, and what they printed last. */
function alternateLines({ alternates = [] }: TaskReport, terminal: Terminal): string[] {
  return alternates
    .filter(({ outcome }) => outcome === 'fail')
    .map(({ name, failed, demands, log }) => {
      const lines = [
        `alternate ${name}:`,
        ...failed.map(({ id, status, detail }) => `  ${status} ${id}${detail === undefined ? '' : `: ${detail}`}`),
        ...demands.map(({ kind, text, where }) => `  told nowhere: the ${kind} ${JSON.stringify(text)} in ${where}`),
        ...(log ?? '').split('\n').slice(-LOG_LINES),
      ];
      return lines.map((line) => `${terminal.foreign(line)}\n`).join('');
    });
}
