import { parquetWriteBuffer } from 'hyparquet-writer';
import { writeAtomic } from '@assay/files/atomic-write';
import { unwritable } from '@assay/files/output-place';
import { AssayError, type WrittenDataset } from '@assay/protocol';
import { datasetRows, type DatasetRow } from './dataset.ts';

/**
 * Writes the data set, the same bytes every time: `.parquet`, or `.jsonl` with one object a line. A file that is there
 * is replaced. Throws `BAD_OPTION` for another ending, and `OUTPUT_UNWRITABLE`.
 */
export async function writeDataset(file: string): Promise<WrittenDataset> {
  const format = /\.(parquet|jsonl)$/.exec(file)?.[1];
  if (format === undefined)
    throw new AssayError('BAD_OPTION', { option: '--out', detail: 'give a file that ends in .parquet or .jsonl' });
  const rows = datasetRows();
  const columns = Object.keys(rows[0] ?? {}) as (keyof DatasetRow)[];
  const content =
    format === 'parquet' ? parquet(rows, columns) : Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  try {
    await writeAtomic(file, content);
  } catch (error) {
    throw unwritable(file, error);
  }
  return { file, rows: rows.length, columns, bytes: content.length };
}

function parquet(rows: readonly DatasetRow[], columns: readonly (keyof DatasetRow)[]): Buffer {
  const columnData = columns.map((name) => ({
    name,
    data: rows.map((row) => row[name]),
    type: typeof rows[0]?.[name] === 'boolean' ? ('BOOLEAN' as const) : ('STRING' as const),
    nullable: rows.some((row) => row[name] === null),
  }));
  return Buffer.from(parquetWriteBuffer({ columnData, createdBy: 'assay' }));
}
