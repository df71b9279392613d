import type { Machine } from '../examine-machine.ts';
import { formatDuration } from './format-duration.ts';
import { renderTable } from './render-table.ts';
import type { Terminal } from './terminal.ts';

/** Providers first, then tools, then the one command that would bring more. */
export function renderMachine(machine: Machine, terminal: Terminal): string {
  const { providers, tools } = machine;
  const providerTable = renderTable(
    [{ title: 'provider' }, { title: 'works' }, { title: 'isolation' }, { title: 'limits' }, { title: 'start', align: 'right' }],
    providers.map((provider) => [
      provider.name,
      provider.available ? 'yes' : 'no',
      provider.isolation,
      provider.limits ?? '-',
      provider.startMs === null ? '-' : formatDuration(provider.startMs),
    ]),
    terminal,
    (text, column, row) => (column === 1 ? terminal.style(providers[row]?.available ? 'green' : 'yellow', text) : text),
  );
  const toolTable = renderTable(
    [{ title: 'tool' }, { title: 'version', shrink: true }, { title: 'needed for' }],
    tools.map((tool) => [tool.name, terminal.foreign(tool.version ?? 'not installed'), tool.neededFor]),
    terminal,
  );
  const memory = `${(machine.memoryBytes / 2 ** 30).toFixed(1)} GiB`;
  const about = `Assay ${machine.assay} on Node ${machine.node}, ${machine.platform}, ${machine.processors} processors, ${memory}${machine.root ? ', as root' : ''}`;
  return `${about}\n\n${providerTable}\n${toolTable}${advice(machine, terminal)}`;
}

function advice({ providers, tools }: Machine, terminal: Terminal): string {
  const missing = tools.filter((tool) => tool.version === null).map((tool) => tool.debianPackage);
  const lines = providers
    .filter((provider) => !provider.available)
    .map((provider) => terminal.foreign(`${provider.name}: ${provider.reason ?? ''} ${provider.hint ?? ''}`));
  if (missing.length > 0) lines.push(`For more: apt-get install -y ${missing.join(' ')}`);
  return lines.length === 0 ? '' : `\n${lines.join('\n')}\n`;
}
