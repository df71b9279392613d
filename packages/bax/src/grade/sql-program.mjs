// Runs inside the sandbox: node sql-program.mjs < REQUEST. One JSON document on standard output: { rows } or { tables }
// or { error }. Here, and not on the host, because the database is what an untrusted app wrote.
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const DATABASE = '/app/db.sqlite3';
const COPY = '/tmp/.grader-copy.sqlite3';
const LONGEST_TEXT = 64 * 1024;

/** @param {unknown} value */
function plain(value) {
  if (typeof value === 'bigint') return { integer: value.toString() };
  if (value instanceof Uint8Array) return { blob: Buffer.from(value.subarray(0, LONGEST_TEXT)).toString('base64') };
  if (typeof value === 'string') return value.slice(0, LONGEST_TEXT);
  return value;
}

/** @param {DatabaseSync} database @param {string} sql */
function rowsOf(database, sql) {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  return statement.all().map((row) => row.map(plain));
}

/** @param {{ rowsPerTable: number, source: 'live' | 'main-file', quoteNames: boolean }} request */
function tablesOf({ rowsPerTable, source, quoteNames }) {
  if (!existsSync(DATABASE)) throw new Error('there is no database');
  if (source === 'main-file') copyFileSync(DATABASE, COPY);
  const database = new DatabaseSync(source === 'main-file' ? COPY : DATABASE, { timeout: 5000 });
  try {
    const names = rowsOf(database, "SELECT name FROM sqlite_master WHERE type = 'table'").map(([name]) => String(name));
    const tables = [];
    for (const name of names) {
      try {
        const rows = rowsOf(
          database,
          `SELECT * FROM ${quoteNames ? `"${name.replaceAll('"', '""')}"` : name} LIMIT ${rowsPerTable}`,
        );
        if (!quoteNames && rows.flat().some((value) => typeof value === 'string' && value.includes('\ufffd')))
          throw new Error('a text is no UTF-8');
        tables.push({ name, rows });
      } catch (error) {
        if (quoteNames) throw error;
        return [...tables, { name, rows: [], unreadable: error.message }];
      }
    }
    return tables;
  } finally {
    database.close();
    if (source === 'main-file') rmSync(COPY, { force: true });
  }
}

/** @param {string} sql */
function run(sql) {
  const database = new DatabaseSync(DATABASE, { timeout: 5000 });
  try {
    if (/^\s*select\b/i.test(sql)) return rowsOf(database, sql);
    database.exec(sql);
    return [];
  } finally {
    database.close();
  }
}

let input = '';
for await (const piece of process.stdin) input += piece;
const request = JSON.parse(input);
let answer;
try {
  answer = request.sql === undefined ? { tables: tablesOf(request) } : { rows: run(request.sql) };
} catch (error) {
  answer = { error: error.message };
}
process.stdout.write(JSON.stringify(answer));
