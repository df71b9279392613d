import { defineCommand } from '../command.ts';

export const baxList = defineCommand({
  name: 'bax list',
  summary: 'list every scenario in every framework',
  description: `Tells of each the weaknesses that its security tests look for, the sizes of its API in characters, and
whether answers can be graded on this machine, and if not, why. Fetches nothing.`,
  example: 'assay bax list --json',
  arguments: [],
  options: {},
  async run() {
    const { listRows } = await import('@assay/bax/list-rows');
    const { renderBaxList } = await import('../reporters/render-bax-list.ts');
    const rows = await listRows();
    return { exitCode: 0, document: { rows }, render: (terminal) => renderBaxList(rows, terminal) };
  },
});
