import { defineCommand } from '../command.ts';

export const baxExport = defineCommand({
  name: 'bax export',
  summary: 'write all rows with their prompts as a data set',
  description: 'All 392 rows, each with its six prompts; docs/bax.md describes the columns. The same bytes every time.',
  example: 'assay bax export --out baxbench.parquet',
  arguments: [],
  options: { out: { kind: 'text', value: 'FILE', required: true, description: 'ends in .parquet or .jsonl; replaced when it is there' } },
  async run({ out }) {
    const { writeDataset } = await import('@assay/bax/export/write-dataset');
    const written = await writeDataset(out);
    return { exitCode: 0, document: written, render: (terminal) => `Wrote ${written.rows} rows to ${terminal.foreign(written.file)}\n` };
  },
});
