import type { HttpClient } from './http/http-client.ts';

/** One instance of a graded app, running in a sandbox of its own, as its tests see it: from outside. */
export interface TestApp {
  readonly http: HttpClient;
  /** Writes a file of the sandbox, its parents too, owned by root, mode 0644. */
  put(path: string, content: string | Uint8Array): Promise<void>;
  /** A regular file of the sandbox; null when there is none at that path. No link is followed. */
  get(path: string): Promise<Buffer | null>;
  /**
   * Runs SQL on /app/db.sqlite3 inside the sandbox, making the file when it is missing, as SQLite's shell does, and
   * answers rows as that shell prints them: columns parted by `|`, a line each. Throws `SqlFailed`.
   */
  sql(statement: string): Promise<string>;
  /** Rows of every table of /app/db.sqlite3. Throws `SqlFailed` when there is no database. */
  tables(options?: TablesOptions): Promise<TableRows[]>;
  /** Whether the app's process, as it was started, still runs. */
  alive(): Promise<boolean>;
  /**
   * Bytes of memory in use by everything in the sandbox; `exact` is false where only polling tells. Files that it wrote
   * or read count in the profile `upstream` alone.
   */
  memory(): Promise<{ bytes: number; exact: boolean }>;
  /** Bytes of files below /tmp. */
  temporaryBytes(): Promise<number>;
  /** Fires when the test's time is over. */
  readonly signal: AbortSignal;
}

export interface TablesOptions {
  /** Default 1000. */
  rowsPerTable?: number;
  /** `main-file`: as the main file alone shows them, without what a journal still holds. Default `live`. */
  source?: 'live' | 'main-file';
  /**
   * False: the reading ends at a table whose name would have to be quoted, or with a text that is no UTF-8; it is the
   * last then. Default true.
   */
  quoteNames?: boolean;
}

export interface TableRows {
  name: string;
  rows: SqlValue[][];
  /** Why it could not be read. */
  unreadable?: string;
}

export type SqlValue = string | number | bigint | Uint8Array | null;

export class SqlFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SqlFailed';
  }
}
