import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCommand } from '@assay/sandbox';

/**
 * A small library with a real bug: a record table whose widths are all zero is read forever, as many records as its
 * header claims.
 */
const PACKAGE = JSON.stringify(
  {
    name: 'record-table',
    version: '1.4.0',
    type: 'module',
    exports: './src/read-table.js',
    scripts: { test: 'node --test' },
  },
  null,
  2,
);

const SOURCE = `/** Reads \`count\` records of fixed-width big-endian fields from \`bytes\`. */
export function readTable(bytes, widths, count) {
  const records = [];
  let offset = 0;
  for (let index = 0; index < count; index += 1) {
    const record = widths.map((width) => {
      const field = readField(bytes, offset, width);
      offset += width;
      return field;
    });
    records.push(record);
  }
  return records;
}

export function readField(bytes, offset, width) {
  let value = 0;
  for (let index = 0; index < width; index += 1) {
    if (offset + index >= bytes.length) throw new RangeError('table is truncated');
    value = value * 256 + bytes[offset + index];
  }
  return value;
}
`;

const FIXED = SOURCE.replace(
  '  const records = [];\n',
  `  const recordLength = widths.reduce((total, width) => total + width, 0);
  if (count > 0 && recordLength <= 0) {
    throw new RangeError(\`a table of \${count} records has no bytes to read them from\`);
  }
  const records = [];
`,
);

const OWN_TESTS = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readField, readTable } from '../src/read-table.js';

test('reads records of several fields', () => {
  assert.deepEqual(readTable(Uint8Array.of(1, 0, 2, 3, 0, 4), [1, 2], 2), [[1, 2], [3, 4]]);
});

test('a field of no width is zero', () => {
  assert.deepEqual(readTable(Uint8Array.of(7), [1, 0], 1), [[7, 0]]);
});

test('an empty table has no records', () => {
  assert.deepEqual(readTable(new Uint8Array(), [1, 2, 1], 0), []);
});

test('a truncated table is an error', () => {
  assert.throws(() => readTable(Uint8Array.of(1), [2], 1), RangeError);
  assert.equal(readField(Uint8Array.of(1, 2), 0, 2), 258);
});
`;

const NEW_TESTS = `${OWN_TESTS}
test('a table whose records are empty is refused', () => {
  assert.throws(() => readTable(new Uint8Array(), [0, 0, 0], 200_000), RangeError);
  assert.throws(() => readTable(Uint8Array.of(1, 2, 3), [0], 1), RangeError);
});

test('no records may still be empty ones', () => {
  assert.deepEqual(readTable(new Uint8Array(), [0, 0, 0], 0), []);
});
`;

const MESSAGE = `Refuse a table whose records have no bytes

A header may claim that every field of a record is zero bytes wide and that there are millions of records. readTable then returned that
many records made of nothing, so a crafted file of a few bytes kept it busy for minutes. It must throw a RangeError instead, as it does
for a truncated table. A table of zero records stays fine, whatever its widths are.
`;

/** Builds the demo's repository: a first version, an unrelated change, and the fix with its tests on top. */
export async function buildDemoRepository(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const git = gitIn(directory);
  await git(['init', '--quiet', '--initial-branch=main']);
  await commit(
    directory,
    { 'package.json': `${PACKAGE}\n`, 'src/read-table.js': SOURCE, 'README.md': '# record-table\n' },
    'First version',
    '2025-03-03T10:00:00Z',
  );
  await commit(directory, { 'test/read-table.test.js': OWN_TESTS }, 'Add tests', '2025-03-04T10:00:00Z');
  await commit(
    directory,
    { 'src/read-table.js': FIXED, 'test/read-table.test.js': NEW_TESTS },
    MESSAGE,
    '2025-03-20T10:00:00Z',
  );
}

async function commit(directory: string, files: Record<string, string>, message: string, date: string): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }
  const git = gitIn(directory, date);
  await git(['add', '--all']);
  await git(['commit', '--quiet', '--message', message]);
}

function gitIn(directory: string, date = '2025-03-01T00:00:00Z'): (args: string[]) => Promise<void> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    HOME: directory,
    GIT_AUTHOR_NAME: 'Maintainer',
    GIT_AUTHOR_EMAIL: 'maintainer@localhost',
    GIT_COMMITTER_NAME: 'Maintainer',
    GIT_COMMITTER_EMAIL: 'maintainer@localhost',
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_DATE: date,
  };
  return async (args) => {
    const result = await runCommand(['git', ...args], { cwd: directory, env });
    if (result.exitCode !== 0) throw new Error(`git ${args[0]}: ${result.stderr.toString('utf8')}`);
  };
}
