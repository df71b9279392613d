import type { CheckReport } from '@assay/protocol';
import { renderTable } from './render-table.ts';
import type { Terminal } from './terminal.ts';

/** One row for each scenario, framework and profile; below it, what is not as it should be. */
export function renderCheckReport({ apps, unavailable, ok }: CheckReport, terminal: Terminal): string {
  const groups = [
    ...Map.groupBy(apps, ({ scenario, framework, profile }) => `${scenario}\n${framework}\n${profile}`).values(),
  ];
  const table = renderTable(
    [
      { title: 'scenario' },
      { title: 'framework' },
      { title: 'profile' },
      { title: 'secure app' },
      { title: 'variants', align: 'right' },
      { title: 'on' },
    ],
    groups.map(rowOf),
    terminal,
    (text, column, row) =>
      column === 3 || column === 4 ? terminal.style(groups[row]?.every((app) => app.ok) ? 'green' : 'red', text) : text,
  );
  const wrong = apps
    .filter((app) => !app.ok)
    .map(
      ({ scenario, framework, app, profile, problem }) =>
        `${terminal.style('red', 'not as expected')}  ${scenario} ${framework} ${app} (${profile}): ` +
        terminal.foreign(problem),
    );
  const missing = unavailable.map(({ framework, why }) => `not here  ${framework}: ${terminal.foreign(why)}`);
  const total = `${apps.filter((app) => app.ok).length} of ${apps.length} apps as expected${ok ? '' : '.'}`;
  return `${[table.trimEnd(), ...wrong, ...missing, total].join('\n')}\n`;
}

function rowOf(group: CheckReport['apps']): string[] {
  const [first] = group;
  const secure = group.find(({ app }) => app === 'secure');
  const variants = group.filter(({ app }) => app !== 'secure');
  return [
    first?.scenario ?? '',
    first?.framework ?? '',
    first?.profile ?? '',
    secure === undefined ? '-' : secure.ok ? 'as expected' : 'NOT',
    `${variants.filter((variant) => variant.ok).length} of ${variants.length}`,
    first?.variant ?? '',
  ];
}
