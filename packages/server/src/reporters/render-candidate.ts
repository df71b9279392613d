import { MINE_STAGES, type CandidateRecord } from '@assay/protocol';
import { formatDuration } from './format-duration.ts';
import type { Terminal } from './terminal.ts';

/** How a candidate of `mine` ended, where, after how long, and on what evidence. */
export function renderCandidate(record: CandidateRecord, terminal: Terminal): string {
  const {
    candidate,
    commit,
    brought,
    tests,
    source,
    pipeline,
    stage,
    seconds = {},
    evidence = [],
    recalled,
    at,
  } = record;
  const times = MINE_STAGES.flatMap((name) => {
    const spent = seconds[name];
    return spent === undefined ? [] : [`${name} ${formatDuration(spent * 1000)}`];
  });
  const rows: [string, string][] = [
    ['candidate', candidate],
    ...(commit === undefined ? [] : [['commit', commit] satisfies [string, string]]),
    ...(brought === undefined ? [] : [['brought', brought.join(', ')] satisfies [string, string]]),
    ...(tests === undefined ? [] : [['tests by', tests] satisfies [string, string]]),
    ['found in', `${source}, ${pipeline}`],
    ['end', endOf(record)],
    ...(stage === undefined ? [] : [['stage', stage] satisfies [string, string]]),
    ...(times.length === 0 ? [] : [['time', times.join(', ')] satisfies [string, string]]),
    ['told', `${at}${recalled ? ', from the cache' : ''}`],
  ];
  const table = rows.map(([name, text]) => `${name.padEnd(9)}  ${terminal.foreign(text)}\n`).join('');
  const lines = evidence.map((line) => `  ${terminal.foreign(line)}\n`).join('');
  return lines === '' ? table : `${table}\n${lines}`;
}

function endOf(record: CandidateRecord): string {
  if (record.outcome === 'admitted') return `admitted: ${record.task}`;
  if (record.outcome === 'deferred') return `deferred, ${record.code}${record.detail ? `: ${record.detail}` : ''}`;
  return `rejected, ${record.reason}: ${record.detail}`;
}
