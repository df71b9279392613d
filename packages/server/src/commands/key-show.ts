import { defineCommand } from '../command.ts';

export const keyShow = defineCommand({
  name: 'key show',
  summary: 'print the public half of the key that signs receipts',
  description: `Prints where the key is, its id and its public half, which others give to \`assay receipt verify
--trust\`. Never prints the private half, and makes no key.`,
  example: 'assay key show --json',
  arguments: [],
  options: {},
  async run() {
    const { readKey } = await import('@assay/judging/receipts/key-file');
    const { describeKey, renderKey } = await import('../reporters/render-key.ts');
    const document = describeKey(await readKey());
    return { exitCode: 0, document, render: (terminal) => renderKey(document, terminal) };
  },
});
