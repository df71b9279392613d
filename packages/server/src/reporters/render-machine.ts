import type { Machine } from '@assay/protocol';
import { formatDuration } from './format-duration.ts';
import { renderTable } from './render-table.ts';
import type { Terminal } from './terminal.ts';

/** Providers first, then tools, then the one command that would bring more. */
export function renderMachine(machine: Machine, terminal: Terminal): string {
  const { providers, tools } = machine;
  const providerTable = renderTable(
    [
      { title: 'provider' },
      { title: 'works' },
      { title: 'isolation' },
      { title: 'limits' },
      { title: 'start', align: 'right' },
    ],
    providers.map((provider) => [
      provider.name,
      worksAs(provider),
      provider.isolation,
      provider.limits ?? '-',
      provider.startMs === null ? '-' : formatDuration(provider.startMs),
    ]),
    terminal,
    (text, column) => (column === 1 ? terminal.style(text === 'yes' ? 'green' : 'yellow', text) : text),
  );
  const toolTable = renderTable(
    [{ title: 'tool' }, { title: 'version', shrink: true }, { title: 'needed for' }],
    tools.map((tool) => [tool.name, terminal.foreign(tool.version ?? 'not installed'), tool.neededFor]),
    terminal,
  );
  const memory = `${(machine.memoryBytes / 2 ** 30).toFixed(1)} GiB`;
  const { assay, node, platform, processors, root } = machine;
  const about = [`Assay ${assay} on Node ${node}`, platform, `${processors} processors`, memory];
  if (root) about.push('as root');
  return `${about.join(', ')}\n\n${providerTable}\n${toolTable}${advice(machine, terminal)}`;
}

function worksAs({ available, problems }: Machine['providers'][number]): string {
  if (!available) return 'no';
  return problems.length === 0 ? 'yes' : 'partly';
}

function advice({ providers, tools }: Machine, terminal: Terminal): string {
  const problems = providers.flatMap(({ name, problems: found }) =>
    found.map((problem) => `${name}: ${terminal.foreign(problem)}`),
  );
  const packages = tools.filter((tool) => tool.version === null).map((tool) => tool.debianPackage);
  const commands = providers.flatMap(({ install }) => (install === undefined ? [] : [install]));
  if (packages.length > 0) commands.push(`apt-get install ${packages.join(' ')}`);
  if (commands.length > 0) problems.push('', 'For more:', ...new Set(commands.map((command) => `  ${command}`)));
  return problems.length === 0 ? '' : `\n${problems.join('\n')}\n`;
}
