import { readFile } from 'node:fs/promises';
import { AssayError } from '@assay/protocol';
import { z } from 'zod';
import { candidateOfChange } from '../candidate-of-change.ts';
import { definePipeline } from './pipeline.ts';

const Row = z.object({ id: z.string(), text: z.string(), files: z.record(z.string(), z.string()) });

/** The pipeline of docs/adding-a-pipeline.md: problems that no commit holds, from a file. */
export const importedRows = definePipeline({
  name: 'imported_rows',
  version: '1',
  summary: 'problems from a file of rows',
  statementSource: 'row',
  options: { rows: z.string().describe('JSON file of the rows').meta({ value: 'FILE' }) },
  async open({ rows }, signal) {
    const parsed = z.array(Row).safeParse(JSON.parse(await readFile(rows, { encoding: 'utf8', signal })));
    if (!parsed.success)
      throw new AssayError('BAD_OPTION', { option: '--rows', detail: z.prettifyError(parsed.error) });
    return async ({ repository }) => ({
      found: parsed.data.map(({ id, ...row }) => ({ label: id, data: { ...row, base: repository.head } })),
    });
  },
  data: Row.omit({ id: true }).extend({ base: z.string() }),
  read({ text, files, base }, { repository }) {
    const changed = Object.entries(files).map(([path, content]) => ({
      path,
      content: Buffer.from(content),
      executable: false,
    }));
    return candidateOfChange(repository, { base, change: { files: changed, deleted: [] } }, { message: text });
  },
});
