import {
  REJECTION_NAMES,
  type CandidateEnd,
  type MinedPart,
  type MineResult,
  type PipelineNotes,
} from '@assay/protocol';
import { formatDuration } from './format-duration.ts';
import { blindLines } from './render-task.ts';
import { renderTable } from './render-table.ts';
import type { Terminal } from './terminal.ts';
import { truncateText } from './text-width.ts';

const EXAMPLE_WIDTH = 400;
const LEFT_OUT_SHOWN = 5;

/** How many candidates fell at which gate, in the order of the gates, then one example of each. */
export function renderFunnel(result: MineResult, out: string, terminal: Terminal): string {
  const fallen = REJECTION_NAMES.filter((reason) => (result.rejected[reason] ?? 0) > 0);
  let left = result.candidates;
  const gates = fallen.map((reason) => {
    const count = result.rejected[reason] ?? 0;
    left -= count;
    return [reason, `-${count}`, String(left)];
  });
  if (result.deferred > 0) gates.push(['deferred', `-${result.deferred}`, String(result.admitted)]);
  const rows = [['candidates', '', String(result.candidates)], ...gates, ['admitted', '', String(result.admitted)]];
  const table = renderTable(
    [{ title: 'gate' }, { title: 'fell', align: 'right' }, { title: 'left', align: 'right' }],
    rows,
    terminal,
    (text, _column, row) =>
      row === rows.length - 1 ? terminal.style(result.admitted > 0 ? 'green' : 'yellow', text) : text,
  );
  const place = terminal.foreign(out);
  const seen = [...fallen, 'deferred' as const].flatMap((gate) => exampleOf(gate, result.ledger, terminal));
  const examples =
    seen.length > 0
      ? `\nOne example each; all are in ${place}/candidates.jsonl, and --explain prints one ` +
        `(what the gates mean: docs/rejection-reasons.md):\n${seen.join('')}`
      : '';
  const again =
    result.deferred > 0
      ? `This machine or a service was at fault for ${result.deferred}: ` +
        'mend it and run this again, which answers the others from the cache.\n'
      : '';
  const unexamined =
    result.left === undefined
      ? ''
      : `The budget is spent; ${result.left} or more candidates are left for the next run.\n`;
  const time = formatDuration(result.elapsedMs);
  const outcome = `${result.admitted} of ${result.candidates} candidates became tasks in ${place}, in ${time}.`;
  const blind = (result.blind ?? [])
    .flatMap(({ task, ...report }) =>
      blindLines(report, terminal).map((line) => `${terminal.foreign(task)}: ${line}\n`),
    )
    .join('');
  const parts = (result.parts ?? []).map((part) => partLine(part, terminal)).join('');
  const old =
    result.beforeCutoff === undefined ? '' : `${result.beforeCutoff} of them are older than the cut-off date.\n`;
  return `${notesText(result.notes, terminal)}${parts === '' ? '' : `${parts}\n`}${table}${examples}\n${again}${unexamined}${blind}${outcome}\n${old}`;
}

/** One line for a pipeline of a repository. */
function partLine(
  { source, pipeline, candidates, admitted, deferred, foundBefore, failure }: MinedPart,
  terminal: Terminal,
): string {
  const place = `${terminal.foreign(source)}, ${pipeline}: `;
  if (failure) return `${place}${terminal.style('red', 'not mined')}: ${terminal.foreign(failure.message)}\n`;
  const more = [
    ...(deferred > 0 ? [`${deferred} deferred`] : []),
    ...(foundBefore > 0 ? [`${foundBefore} found by an earlier one, too`] : []),
  ];
  return `${place}${[`${admitted} of ${candidates}`, ...more].join(', ')}\n`;
}

function exampleOf(
  gate: (typeof REJECTION_NAMES)[number] | 'deferred',
  ledger: readonly CandidateEnd[],
  terminal: Terminal,
): string[] {
  for (const end of ledger) {
    if (end.outcome === 'admitted' || (end.outcome === 'rejected' ? end.reason : 'deferred') !== gate) continue;
    const text = end.outcome === 'deferred' ? `${end.code}: ${end.detail ?? ''}` : end.detail;
    const shown = truncateText(terminal.foreign(`${end.candidate}: ${text}`), EXAMPLE_WIDTH);
    return [`${terminal.style('bold', gate)}  ${shown}\n`];
  }
  return [];
}

/** Tells how much of the pipeline's material was left out before the first gate. */
function notesText(notes: PipelineNotes | undefined, terminal: Terminal): string {
  if (!notes) return '';
  const leftOut = notes.leftOut.map(
    (text) => `${terminal.style('yellow', 'left out:')} ${truncateText(terminal.foreign(text), EXAMPLE_WIDTH)}\n`,
  );
  const more = leftOut.length > LEFT_OUT_SHOWN ? `and ${leftOut.length - LEFT_OUT_SHOWN} more left out\n` : '';
  return `${terminal.foreign(notes.text)}\n${leftOut.slice(0, LEFT_OUT_SHOWN).join('')}${more}\n`;
}
