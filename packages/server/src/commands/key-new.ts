import { defineCommand } from '../command.ts';

export const keyNew = defineCommand({
  name: 'key new',
  summary: 'make a key that signs receipts',
  description: `Makes an ed25519 key in a file that only you can read, and prints its public half. A key is never
overwritten. Receipts are signed with the key in the default place, which is made at first use too.`,
  example: 'assay key new --out ~/keys/receipts.pem',
  arguments: [],
  options: {
    out: {
      kind: 'text',
      value: 'FILE',
      description:
        'file for the key (default: $ASSAY_KEY, else assay/receipt-key.pem in the XDG configuration directory)',
    },
  },
  async run({ out }) {
    const { resolve } = await import('node:path');
    const { createKey, keyPath } = await import('@assay/judging/receipts/key-file');
    const { describeKey, renderKey } = await import('../reporters/render-key.ts');
    const document = describeKey(await createKey(out === undefined ? keyPath() : resolve(out)));
    return { exitCode: 0, document, render: (terminal) => renderKey(document, terminal) };
  },
});
