import type { BlindReport, ShownTask, SuiteChoice } from '@assay/protocol';
import { renderTable } from './render-table.ts';
import type { Terminal } from './terminal.ts';

/** A task with its tests, those of the fix first. */
export function renderTask(task: ShownTask, { sites }: { sites: boolean }, terminal: Terminal): string {
  const tests = renderTable(
    [{ title: 'test', shrink: true }, { title: 'role' }, { title: 'class' }, { title: 'why', shrink: true }],
    task.tests.map(({ id, role, class: kind, why }) => [terminal.foreign(id), role, kind, terminal.foreign(why ?? '')]),
    terminal,
    (text, column, row) =>
      column === 2 ? terminal.style(task.tests[row]?.class === 'split' ? 'green' : 'yellow', text) : text,
  );
  const head = [
    `${terminal.foreign(task.id)} (${task.runner}, ${terminal.foreign(task.pipeline)}, T0 ${terminal.foreign(task.t0)})`,
    `trust of its verdicts: ${task.trust.level}: ${terminal.foreign(task.trust.reasons.join('; '))}`,
    `proof: ${proofLine(task)}`,
    ...(task.suite ? [SUITE[task.suite.chosen](task.suite.files)] : []),
    ...(task.proof?.mutants?.survivors ?? []).map(
      ({ path, line, change }) => `tests let pass ${terminal.foreign(`${path}:${line} ${change}`)}`,
    ),
    ...blindLines(task.proof?.blind, terminal),
  ];
  return `${head.join('\n')}\n${statementTable(task, terminal)}\n${tests}\n${sites ? siteTable(task, terminal) : ''}`;
}

/** Which tests stand for the suite, by how they were chosen. */
const SUITE: Record<SuiteChoice['chosen'], (files: number) => string> = {
  all: (files) => `suite: all of its ${files} test files were run`,
  relevant: (files) => `suite: of its ${files} test files those were run that have most to do with the fix`,
  changed: (files) => `suite: of its ${files} test files only those of the fix, as others did not end in time`,
};

/** How often a solver did it, and what it never did. */
export function blindLines(blind: BlindReport | undefined, terminal: Terminal): string[] {
  if (!blind) return [];
  const { solver, model, asked, tries, solved, mark, unsolved } = blind;
  const uncounted = asked > tries ? `, and ${asked - tries} that say nothing` : '';
  const marked = mark === undefined ? '' : ` (${terminal.style('yellow', mark)})`;
  return [
    `${solver} with ${terminal.foreign(model)} solved ${solved} of ${tries} tries${uncounted}${marked}`,
    ...unsolved.map((id) => `failed in every try: ${terminal.foreign(id)}`),
  ];
}

/** Every sentence of the instruction and where it comes from; nothing for a task that does not say. */
function statementTable({ statement }: ShownTask, terminal: Terminal): string {
  if (statement.length === 0) return '';
  const rows = statement.map(({ text, source }) => [terminal.foreign(text.replace(/\s+/g, ' ')), source]);
  return `\n${renderTable([{ title: 'instruction', shrink: true }, { title: 'source' }], rows, terminal)}\n`;
}

function proofLine({ proof, specificity, behaviour, quarantined }: ShownTask): string {
  if (!proof) return 'none; `assay validate` makes one';
  const { reference, noop, mutants } = proof;
  const parts = [
    `reference ${reference.passes} of ${reference.runs}`,
    `no-op ${noop.passes} of ${noop.runs}`,
    ...(mutants ? [`${mutants.killed} of ${mutants.run} mutants killed, ${mutants.notRun} not run`] : []),
    `${specificity} texts told because tests demand them`,
    ...(behaviour ? [`${behaviour.told} observations told and ${behaviour.held_back} held back`] : []),
    `${quarantined.length} tests quarantined`,
  ];
  return parts.join(', ');
}

function siteTable({ sites }: ShownTask, terminal: Terminal): string {
  const rows = sites.map(({ file, line, form, level, relaxed, why }) => [
    terminal.foreign(`${file}:${line}`),
    terminal.foreign(form),
    relaxed ? `${level} (relaxed)` : level,
    terminal.foreign(why ?? ''),
  ]);
  const table = renderTable(
    [
      { title: 'assertion', shrink: true },
      { title: 'form' },
      { title: 'level' },
      { title: 'guess, or why inside', shrink: true },
    ],
    rows,
    terminal,
  );
  return `\n${table}\n`;
}
