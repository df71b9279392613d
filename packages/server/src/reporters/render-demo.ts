import type { DemoResult } from '../engine-contract.ts';
import { formatDuration } from './format-duration.ts';
import { formatReward } from './outcome.ts';
import { renderTable } from './render-table.ts';
import type { Terminal } from './terminal.ts';

interface Row {
  agent: string;
  sealed: number | null | undefined;
  unsealed: number | null | undefined;
  isCheat: boolean;
}

/** Whether the story came out as it must: the proof holds, cheats score 1 only with their seal off, and someone honest scores 1. */
export function demoHolds(result: DemoResult): boolean {
  const { reference, noop } = result.proof;
  const rows = toRows(result);
  const cheats = rows.filter((row) => row.isCheat);
  return (
    reference.runs > 0 &&
    reference.passes === reference.runs &&
    noop.runs > 0 &&
    noop.passes === 0 &&
    cheats.length > 0 &&
    cheats.every((row) => row.sealed === 0 && row.unsealed === 1) &&
    rows.some((row) => !row.isCheat && row.sealed === 1)
  );
}

/** One row an agent, its reward with the cheat's own seal off beside its reward with every seal on. */
export function renderDemo(result: DemoResult, terminal: Terminal): string {
  const rows = toRows(result);
  const table = renderTable(
    [{ title: 'agent', shrink: true }, { title: 'its seal off', align: 'right' }, { title: 'sealed', align: 'right' }],
    rows.map((row) => [terminal.foreign(row.agent), formatReward(row.unsealed), formatReward(row.sealed)]),
    terminal,
    (text, column, row) => paint(text, column, rows[row], terminal),
  );
  const { reference, noop } = result.proof;
  return `
${terminal.style('bold', `Task ${terminal.foreign(result.task)}`)}
Proof: the reference solution passes ${reference.passes} of ${reference.runs} runs, doing nothing passes ${noop.passes} of ${noop.runs}.

${table}
${demoHolds(result) ? 'Only the honest solution scores. Each cheat scored 1 until its seal was on.' : terminal.style('red', 'This is not as it should be: a seal or a proof does not hold on this machine.')}
Took ${formatDuration(result.elapsedMs)}.
`.slice(1);
}

function toRows({ trials }: DemoResult): Row[] {
  const rows = new Map<string, Row>();
  for (const trial of trials) {
    const row = rows.get(trial.agent) ?? { agent: trial.agent, sealed: undefined, unsealed: undefined, isCheat: trial.agent.startsWith('cheat:') };
    row[trial.sealed ? 'sealed' : 'unsealed'] = trial.reward;
    rows.set(trial.agent, row);
  }
  return [...rows.values()];
}

function paint(text: string, column: number, row: Row | undefined, terminal: Terminal): string {
  if (column === 0 || row === undefined) return text;
  if (column === 1) return terminal.style('yellow', text);
  return row.sealed === 1 ? terminal.style('green', text) : text;
}
