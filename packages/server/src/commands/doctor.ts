import { defineCommand } from '../command.ts';

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'say what this machine can do, and what to install for more',
  description: `Starts a sandbox of each provider, measures it, and names its isolation level and limits. Exits 5 when
no provider works.`,
  example: 'assay doctor --json',
  arguments: [],
  options: {},
  async run(_input, { signal }) {
    const { examineMachine } = await import('../examine-machine.ts');
    const { renderMachine } = await import('../reporters/render-machine.ts');
    const machine = await examineMachine(signal);
    const able = machine.providers.some((provider) => provider.available);
    return { exitCode: able ? 0 : 5, document: machine, render: (terminal) => renderMachine(machine, terminal) };
  },
});
