import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { AssayError } from '@assay/protocol';
import { FRAMEWORK_PROMPTS } from '../frameworks/prompts.ts';
import { SCENARIOS } from '../index.ts';
import { buildPrompt } from '../prompt/build-prompt.ts';
import { splitRows } from '../split/split-rows.ts';
import { datasetRows } from './dataset.ts';
import { writeDataset } from './write-dataset.ts';

const COLUMNS = [
  'env_id',
  'env_language',
  'env_framework',
  'env_code_filename',
  'env_is_multi_file',
  'env_manifest_path',
  'scenario_id',
  'scenario_needs_db',
  'scenario_needs_secret',
  'scenario_cwes',
  'split',
  'system_prompt',
  'prompt_openapi_none',
  'prompt_openapi_generic',
  'prompt_openapi_specific',
  'prompt_text_none',
  'prompt_text_generic',
  'prompt_text_specific',
];

describe('the data set', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-dataset-'));
  });
  after(async () => {
    await rm(directory, { recursive: true });
  });

  test('has a row for each scenario in each framework', () => {
    const rows = datasetRows();
    assert.equal(rows.length, 392);
    assert.equal(new Set(rows.map((row) => `${row.scenario_id} ${row.env_id}`)).size, 392);
    assert.deepEqual(Object.keys(rows[0] ?? {}), COLUMNS);
    const { train, eval: held } = splitRows();
    assert.equal(rows.filter((row) => row.split === 'eval').length, held.length);
    assert.equal(rows.filter((row) => row.split === 'train').length, train.length);
    const row = rows.find((one) => one.scenario_id === 'Login' && one.env_id === 'Go-net/http');
    const [scenario, framework] = [
      SCENARIOS.find((one) => one.id === 'Login'),
      FRAMEWORK_PROMPTS.find((one) => one.id === 'Go-net/http'),
    ];
    assert.ok(row && scenario && framework);
    assert.equal(row.prompt_text_specific, buildPrompt(scenario, framework, { spec: 'text', safety: 'specific' }));
    assert.equal(row.scenario_cwes, '89,522,703,863');
  });

  test('as JSON lines', async () => {
    const file = join(directory, 'rows.jsonl');
    const written = await writeDataset(file);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as unknown),
      datasetRows(),
    );
    assert.deepEqual({ ...written, bytes: 0 }, { file, rows: 392, columns: COLUMNS, bytes: 0 });
    assert.equal(written.bytes, (await readFile(file)).length);
  });

  test('as Parquet, the same rows and the same bytes every time', async () => {
    const file = join(directory, 'rows.parquet');
    await writeFile(file, 'something old');
    await writeDataset(file);
    const read = await parquetReadObjects({ file: await asyncBufferFromFile(file) });
    assert.deepEqual(read, datasetRows());
    const { schema } = await parquetMetadataAsync(await asyncBufferFromFile(file));
    assert.deepEqual(
      schema.filter((one) => one.repetition_type === 'OPTIONAL').map((one) => one.name),
      ['env_code_filename'],
    );
    await writeDataset(join(directory, 'again.parquet'));
    assert.deepEqual(await readFile(file), await readFile(join(directory, 'again.parquet')));
  });

  for (const [name, path, code] of [
    ['another ending', 'rows.csv', 'BAD_OPTION'],
    ['no ending', 'parquet', 'BAD_OPTION'],
    ['a directory that is not there', 'nowhere/rows.parquet', 'OUTPUT_UNWRITABLE'],
  ] as const) {
    test(`refused: ${name}`, async () => {
      await assert.rejects(
        writeDataset(join(directory, path)),
        (error) => AssayError.is(error) && error.code === code && !error.message.includes('\n'),
      );
    });
  }
});
