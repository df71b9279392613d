import type { CheatResult } from '../engine-contract.ts';
import { formatReward } from './outcome.ts';
import { renderTable } from './render-table.ts';
import type { Terminal } from './terminal.ts';

/** One row a cheat: what it scored sealed and unsealed, and whether the seal is what stopped it. */
export function renderCheats(cheats: readonly CheatResult[], terminal: Terminal): string {
  const answers = cheats.map((cheat) => (cheat.blocked ? 'blocked' : cheat.open ? 'open' : 'GOT THROUGH'));
  const table = renderTable(
    [
      { title: 'id' },
      { title: 'cheat', shrink: true },
      { title: 'sealed', align: 'right' },
      { title: 'unsealed', align: 'right' },
      { title: 'answer' },
      { title: 'control' },
    ],
    cheats.map((cheat, index) => [
      cheat.id,
      terminal.foreign(cheat.title),
      formatReward(cheat.sealed.reward),
      formatReward(cheat.unsealed.reward),
      answers[index] ?? '',
      cheat.control ? 'succeeds' : 'FAILED',
    ]),
    terminal,
    (text, column, row) => {
      if (column === 4) return terminal.style(answers[row] === 'blocked' ? 'green' : answers[row] === 'open' ? 'yellow' : 'red', text);
      return column === 5 ? terminal.style(cheats[row]?.control ? 'green' : 'red', text) : text;
    },
  );
  const count = (wanted: string): number => answers.filter((answer) => answer === wanted).length;
  const controls = cheats.filter((cheat) => cheat.control).length;
  const open = count('open') > 0 ? `, ${count('open')} known to be open (docs/threat-model.md)` : '';
  const through = count('GOT THROUGH') > 0 ? `, ${count('GOT THROUGH')} got through` : '';
  return `${table}\n${count('blocked')} of ${cheats.length} cheats blocked${open}${through}; ${controls} of ${cheats.length} controls succeed.\n`;
}
