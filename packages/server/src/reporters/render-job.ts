import type { ItemFailure, JobResult } from '@assay/protocol';
import { formatDuration } from './format-duration.ts';
import { formatReward, paintOutcome } from './outcome.ts';
import { renderTable } from './render-table.ts';
import type { Terminal } from './terminal.ts';

const MOST_ROWS = 50;

/** One row a trial, the rate with its interval, and where the job is. */
export function renderJob(result: JobResult, terminal: Terminal): string {
  const shown = result.trials.slice(0, MOST_ROWS);
  const table = renderTable(
    [
      { title: 'task', shrink: true },
      { title: 'try', align: 'right' },
      { title: 'outcome' },
      { title: 'reward', align: 'right' },
      { title: 'trust' },
      { title: 'isolation' },
      { title: 'time', align: 'right' },
    ],
    shown.map((trial) => [
      terminal.foreign(trial.task),
      String(trial.attempt),
      trial.outcome,
      formatReward(trial.reward),
      trial.trust.level,
      trial.isolation,
      formatDuration(trial.durationMs),
    ]),
    terminal,
    (text, column, row) => (column === 2 ? paintOutcome(shown[row]?.outcome, text, terminal) : text),
  );
  const more =
    result.trials.length > shown.length
      ? `… and ${result.trials.length - shown.length} more, in ${terminal.foreign(result.directory)}\n`
      : '';
  const [agent = ''] = result.trials.map((trial) => trial.agent);
  return [
    `${table}${more}\n`,
    `${summaryLine(agent, result.summary, terminal)}\n`,
    endsLine(result.trials),
    usageLine(result.summary),
    failureLines(result.failures, terminal),
    `Time of all trials together: ${formatDuration(result.summary.durationMs)}.\n`,
    `Job: ${terminal.foreign(result.directory)}\n`,
  ].join('');
}

function summaryLine(
  agent: string,
  { trials, passed, invalid, passRate, ci95 }: JobResult['summary'],
  terminal: Terminal,
): string {
  const counted = trials - invalid;
  const who = terminal.foreign(agent);
  const unknown = invalid > 0 ? `, ${invalid} invalid and not counted` : '';
  if (passRate === null || counted === 0) return `${who}: no trial could be graded${unknown}.`;
  const interval = ci95 ? ` (95 % interval ${percent(ci95[0])} to ${percent(ci95[1])})` : '';
  return `${who}: ${passed} of ${counted} passed, ${percent(passRate)}${interval}${unknown}.`;
}

/** Agents that did not simply end, by how they ended. */
function endsLine(trials: JobResult['trials']): string {
  const counts = new Map<string, number>();
  for (const { agentRun } of trials) {
    const status = agentRun?.status ?? 'ended';
    if (status !== 'ended') counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const told = [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
  return told === '' ? '' : `Agents that did not end by themselves: ${told}.\n`;
}

/** Tasks that came to no answer. */
export function failureLines(failures: readonly ItemFailure[], terminal: Terminal): string {
  return failures
    .map(({ item, outcome, message }) => `${terminal.foreign(item)}: ${outcome}: ${terminal.foreign(message)}\n`)
    .join('');
}

function usageLine({ usage }: JobResult['summary']): string {
  if (usage === undefined) return '';
  const { requests, inputTokens, cachedInputTokens, outputTokens, usd, estimated } = usage;
  const cached = cachedInputTokens > 0 ? ` (${cachedInputTokens} cached)` : '';
  const money = usd === null ? '' : `, ${usd.toFixed(4)} US dollars`;
  const partly = estimated > 0 ? ' (partly estimated)' : '';
  return `Model: ${requests} requests, ${inputTokens} tokens in${cached}, ${outputTokens} out${money}${partly}.\n`;
}

function percent(rate: number): string {
  return `${(rate * 100).toFixed(1)} %`;
}
