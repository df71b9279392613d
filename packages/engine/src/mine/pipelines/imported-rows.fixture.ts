import { readFile } from 'node:fs/promises';
import { AssayError } from '@assay/protocol';
import { z } from 'zod';
import { candidateOfChange } from '../candidate-of-change.ts';
import { definePipeline } from './pipeline.ts';

const Rows = z.array(z.object({ id: z.string(), text: z.string(), files: z.record(z.string(), z.string()) }));

/** The pipeline of docs/adding-a-pipeline.md: problems that no commit holds, from a file. */
export const importedRows = definePipeline({
  name: 'imported_rows',
  version: '1',
  summary: 'problems from a file of rows',
  statementSource: 'row',
  discloses: false,
  options: { rows: z.string().describe('JSON file of the rows').meta({ value: 'FILE' }) },
  async open({ rows }, signal) {
    const parsed = Rows.safeParse(JSON.parse(await readFile(rows, { encoding: 'utf8', signal })));
    if (!parsed.success)
      throw new AssayError('BAD_OPTION', { option: '--rows', detail: z.prettifyError(parsed.error) });
    return async ({ repository }) => ({
      found: parsed.data.map(({ id, text, files }) => ({
        label: id,
        key: JSON.stringify([text, files]),
        read: () =>
          candidateOfChange(
            repository,
            {
              base: repository.head,
              change: {
                files: Object.entries(files).map(([path, content]) => ({
                  path,
                  content: Buffer.from(content),
                  executable: false,
                })),
                deleted: [],
              },
            },
            { message: text },
          ),
      })),
    });
  },
});
