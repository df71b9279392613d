import { fileURLToPath } from 'node:url';
import type { Mount, Sandbox } from '@assay/sandbox';
import { z } from 'zod';
import { SqlFailed, type SqlValue, type TableRows, type TablesOptions } from '../test-app.ts';

const NODE = '/opt/assay-grader/node';
const PROGRAM = '/opt/assay-grader/sql-program.mjs';
const TIMEOUT_MS = 20_000;

/**
 * Mounts by which the database of a sandbox can be queried: the Node that runs this process, and a program of ours.
 */
export const DATABASE_MOUNTS: readonly Mount[] = [
  { kind: 'read-only', source: process.execPath, target: NODE },
  { kind: 'read-only', source: fileURLToPath(new URL('sql-program.mjs', import.meta.url)), target: PROGRAM },
];

const Value = z.union([
  z.string(),
  z.number(),
  z.null(),
  z.object({ integer: z.string().regex(/^-?\d+$/) }),
  z.object({ blob: z.string() }),
]);
const Rows = z.array(z.array(Value));
const Answer = z.object({
  rows: Rows.optional(),
  tables: z.array(z.object({ name: z.string(), rows: Rows, unreadable: z.string().optional() })).optional(),
  error: z.string().optional(),
});

/** Asks /app/db.sqlite3 in a process of its own inside the sandbox, beside the app. Throws `SqlFailed`. */
export async function runSql(sandbox: Sandbox, sql: string): Promise<string> {
  const { rows = [] } = await ask(sandbox, { sql });
  return rows.map((row) => row.map((value) => textOf(valueOf(value))).join('|')).join('\n');
}

export async function readTables(
  sandbox: Sandbox,
  { rowsPerTable = 1000, source = 'live', quoteNames = true }: TablesOptions,
): Promise<TableRows[]> {
  const { tables = [] } = await ask(sandbox, { rowsPerTable, source, quoteNames });
  return tables.map(({ name, rows, unreadable }) => ({
    name,
    rows: rows.map((row) => row.map(valueOf)),
    ...(unreadable === undefined ? {} : { unreadable }),
  }));
}

async function ask(sandbox: Sandbox, request: object): Promise<z.infer<typeof Answer>> {
  const { stdout, stderr, exitCode } = await sandbox.exec('', {
    argv: [NODE, '--disable-warning=ExperimentalWarning', PROGRAM],
    cwd: '/tmp',
    stdin: JSON.stringify(request),
    timeout: TIMEOUT_MS,
  });
  const answer = exitCode === 0 ? Answer.safeParse(parse(stdout)) : null;
  if (!answer?.success)
    throw new SqlFailed(`the database cannot be asked: ${stderr.trim().split('\n').at(-1) ?? `exit code ${exitCode}`}`);
  if (answer.data.error !== undefined) throw new SqlFailed(answer.data.error);
  return answer.data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function valueOf(value: z.infer<typeof Value>): SqlValue {
  if (typeof value !== 'object' || value === null) return value;
  return 'integer' in value ? BigInt(value.integer) : Buffer.from(value.blob, 'base64');
}

const textOf = (value: SqlValue): string =>
  value === null ? '' : value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
