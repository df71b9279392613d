import type { CheatReport, CheatsResult } from '@assay/protocol';
import { formatReward } from './outcome.ts';
import { failureLines } from './render-job.ts';
import { renderTable } from './render-table.ts';
import type { Style, Terminal } from './terminal.ts';

type Answer = 'blocked' | 'open' | 'GOT THROUGH' | 'open no more';

const STYLES: Record<Answer, Style> = { blocked: 'green', open: 'yellow', 'GOT THROUGH': 'red', 'open no more': 'red' };

/** One row a cheat: what it scored sealed and unsealed, and whether the seal is what stopped it. */
export function renderCheats({ cheats, notApplicable, failures }: CheatsResult, terminal: Terminal): string {
  const answers = cheats.map(answerOf);
  const table = renderTable(
    [
      { title: 'id' },
      { title: 'cheat', shrink: true },
      { title: 'sealed', align: 'right' },
      { title: 'seal off', align: 'right' },
      { title: 'answer' },
      { title: 'control' },
    ],
    cheats.map(({ id, title, sealed, unsealed, control }, index) => [
      id,
      terminal.foreign(title),
      formatReward(sealed.reward),
      formatReward(unsealed.reward),
      answers[index] ?? '',
      control ? 'succeeds' : 'FAILS',
    ]),
    terminal,
    (text, column, row) => {
      const answer = answers[row];
      if (column === 4 && answer) return terminal.style(STYLES[answer], text);
      return column === 5 && !cheats[row]?.control ? terminal.style('red', text) : text;
    },
  );
  const count = (wanted: Answer): number => answers.filter((answer) => answer === wanted).length;
  const controls = cheats.filter((cheat) => cheat.control).length;
  const lines = [
    `${count('blocked')} of ${cheats.length} cheats blocked; ${controls} of ${cheats.length} controls succeed.`,
    count('GOT THROUGH') > 0 ? `${count('GOT THROUGH')} got through.` : '',
    count('open') > 0 ? `${count('open')} known to be open: docs/threat-model.md` : '',
    count('open no more') > 0
      ? `${count('open no more')} declared open and blocked now: docs/threat-model.md is out of date.`
      : '',
    notApplicable.length > 0 ? `Nothing to attack here for ${notApplicable.map(({ id }) => id).join(', ')}.` : '',
  ];
  return `${table}\n${failureLines(failures, terminal)}${lines.filter((line) => line !== '').join('\n')}\n`;
}

function answerOf({ blocked, open }: CheatReport): Answer {
  if (open === undefined) return blocked ? 'blocked' : 'GOT THROUGH';
  return blocked ? 'open no more' : 'open';
}
