import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol/errors';
import { defineCommand } from '../command.ts';
import { shellWord } from '../shell-word.ts';

/** The script that starts Assay from its sources. */
const SCRIPT = join(import.meta.dirname, '../../../../assay');

export const baxExport = defineCommand({
  name: 'bax export',
  summary: 'write all rows with their prompts as a data set',
  description: `All 392 rows, each with its six prompts; docs/bax.md describes the columns. The same bytes every time.
With --verifiers, an installable Python package instead: the environment \`baxbench\` for \`verifiers\`, with these rows
in it, which grades by calling \`assay bax grade\`.`,
  example: 'assay bax export --out baxbench.parquet',
  arguments: [],
  options: {
    out: { kind: 'text', value: 'FILE', description: 'ends in .parquet or .jsonl; replaced when it is there' },
    verifiers: { kind: 'text', value: 'DIR', description: 'where the package goes: new, or empty' },
  },
  async run({ out, verifiers }) {
    if (out !== undefined && verifiers === undefined) {
      const { writeDataset } = await import('@assay/bax/export/write-dataset');
      const written = await writeDataset(out);
      return {
        exitCode: 0,
        document: written,
        render: (terminal) => `Wrote ${written.rows} rows to ${terminal.foreign(written.file)}\n`,
      };
    }
    if (out !== undefined || verifiers === undefined)
      throw new AssayError('BAD_OPTION', { option: '--out', detail: 'give either --out or --verifiers' });
    const { writeVerifiers } = await import('@assay/bax/export/verifiers/write-verifiers');
    const written = await writeVerifiers(verifiers, { assay: existsSync(SCRIPT) ? SCRIPT : null });
    return {
      exitCode: 0,
      document: written,
      render: (terminal) =>
        `Wrote the package baxbench with ${written.rows} rows. ` +
        `Install it: pip install ${terminal.foreign(installPath(written.directory))}\n`,
    };
  },
});

/** A path and never a bare name: pip would fetch `vf` from its index, where anybody may have put one. */
function installPath(directory: string): string {
  return shellWord(/^\.{0,2}\//.test(directory) ? directory : `./${directory}`);
}
