import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { Socket } from 'node:net';
import { AssayError } from '@assay/protocol';
import { GIT_SETTINGS, gitEnvironment } from './git-environment.ts';

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag';
export interface GitObject {
  type: ObjectType;
  content: Buffer;
}

/** Reads objects through one long-lived git process, started by the first read. */
export interface ObjectReader {
  /**
   * Reads the raw content of an object. Throws `MISSING_OBJECT`, or `OBJECT_TOO_LARGE` above the limit. Many reads may
   * be in progress at once.
   */
  read(oid: string): Promise<Buffer>;
  /** Like `read`, and returns the type too. */
  readObject(oid: string): Promise<GitObject>;
  /** Like `read`; throws `MISSING_OBJECT` when the object has another type. */
  readTyped(oid: string, type: ObjectType): Promise<Buffer>;
  /** Ends the process when the reads in progress have settled. A later read starts a new one. */
  close(): Promise<void>;
}

export interface ObjectReaderOptions {
  /** Larger objects are skipped. Default 256 MiB. */
  maxObjectBytes?: number;
}

const DEFAULT_OBJECT_BYTES = 256 * 1024 * 1024;

export function openObjectReader(gitDirectory: string, options: ObjectReaderOptions = {}): ObjectReader {
  const limit = options.maxObjectBytes ?? DEFAULT_OBJECT_BYTES;
  let session: Session | null = null;
  const readObject = (oid: string): Promise<GitObject> => {
    if (!isOid(oid))
      return Promise.reject(new AssayError('MISSING_OBJECT', { detail: `${JSON.stringify(oid)} is no object name` }));
    if (session === null || session.ended) session = new Session(gitDirectory, limit);
    return session.request(oid);
  };
  const readTyped = async (oid: string, type: ObjectType): Promise<Buffer> => {
    const object = await readObject(oid);
    if (object.type !== type)
      throw new AssayError('MISSING_OBJECT', { detail: `${oid} is a ${object.type}, not a ${type}` });
    return object.content;
  };
  return {
    readObject,
    readTyped,
    read: async (oid) => (await readObject(oid)).content,
    close: async () => {
      const last = session;
      session = null;
      await last?.close();
    },
  };
}

/** Whether a text is the full name of a SHA-1 object. */
export function isOid(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}

interface Waiting {
  oid: string;
  resolve(object: GitObject): void;
  reject(error: unknown): void;
}
interface Body {
  waiting: Waiting;
  type: ObjectType;
  size: number;
  left: number;
  chunks: Buffer[];
}

/** One process and the requests to it, which it answers in order. */
class Session {
  ended = false;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #limit: number;
  readonly #queue: Waiting[] = [];
  readonly #closed: Promise<void>;
  #header: Buffer = Buffer.alloc(0);
  #body: Body | null = null;
  #stderr = '';

  constructor(gitDirectory: string, limit: number) {
    this.#limit = limit;
    this.#child = spawn('git', [...GIT_SETTINGS, 'cat-file', '--batch'], {
      cwd: gitDirectory,
      env: gitEnvironment(gitDirectory, gitDirectory),
      detached: true,
    });
    this.#child.stdin.on('error', () => {});
    this.#child.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-2_000);
    });
    this.#child.on('error', (error) => this.#fail(error));
    this.#closed = new Promise((resolve) =>
      this.#child.once('close', () => {
        this.#fail(
          new AssayError('GIT_FAILED', { command: 'cat-file', detail: this.#stderr.trim() || 'it ended early' }),
        );
        resolve();
      }),
    );
    this.#hold(false);
  }

  request(oid: string): Promise<GitObject> {
    return new Promise((resolve, reject) => {
      if (this.#queue.length === 0) this.#hold(true);
      this.#queue.push({ oid, resolve, reject });
      this.#ask(`${oid}\n`);
    });
  }

  async close(): Promise<void> {
    this.ended = true;
    this.#hold(true);
    this.#child.stdin.end();
    await this.#closed;
  }

  /** Requests made in one turn of the event loop are written together. */
  #ask(line: string): void {
    const { stdin } = this.#child;
    if (stdin.writableCorked === 0) {
      stdin.cork();
      process.nextTick(() => stdin.uncork());
    }
    stdin.write(line);
  }

  /** An idle reader must not keep the program running; a closing one must, or nobody awaits its end. */
  #hold(held: boolean): void {
    if (!held && this.ended) return;
    const word = held ? 'ref' : 'unref';
    this.#child[word]();
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr])
      if (stream instanceof Socket) stream[word]();
  }

  #take(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) rest = this.#body === null ? this.#takeHeader(rest) : this.#takeBody(this.#body, rest);
  }

  #takeHeader(chunk: Buffer): Buffer {
    const end = chunk.indexOf('\n');
    if (end === -1) {
      this.#header = Buffer.concat([this.#header, chunk]);
      return Buffer.alloc(0);
    }
    const line = Buffer.concat([this.#header, chunk.subarray(0, end)]).toString('latin1');
    this.#header = Buffer.alloc(0);
    const waiting = this.#queue[0];
    const match = /^[0-9a-f]{40} (blob|tree|commit|tag) (\d+)$/.exec(line);
    if (waiting && match) {
      const size = Number(match[2]);
      // One more byte for the newline that ends every answer.
      this.#body = { waiting, type: objectType(match[1]), size, left: size + 1, chunks: [] };
    } else if (waiting) {
      this.#answered().reject(
        new AssayError('MISSING_OBJECT', { detail: line.endsWith(' missing') ? waiting.oid : line.slice(0, 200) }),
      );
    }
    return chunk.subarray(end + 1);
  }

  #takeBody(body: Body, chunk: Buffer): Buffer {
    const part = chunk.subarray(0, body.left);
    if (body.size <= this.#limit) body.chunks.push(part);
    body.left -= part.length;
    if (body.left === 0) this.#finish(body);
    return chunk.subarray(part.length);
  }

  #finish({ waiting, type, size, chunks }: Body): void {
    this.#body = null;
    this.#answered();
    if (size > this.#limit) {
      waiting.reject(new AssayError('OBJECT_TOO_LARGE', { oid: waiting.oid, detail: `${size} bytes` }));
      return;
    }
    const [only] = chunks;
    // Copied, so that a small object does not keep a whole chunk of output alive.
    const whole = chunks.length === 1 && only ? Buffer.from(only) : Buffer.concat(chunks);
    waiting.resolve({ type, content: whole.subarray(0, size) });
  }

  #answered(): Waiting {
    const waiting = this.#queue.shift();
    if (!waiting) throw new AssayError('IMPOSSIBLE', { detail: 'an answer without a question' });
    if (this.#queue.length === 0) this.#hold(false);
    return waiting;
  }

  #fail(error: unknown): void {
    this.ended = true;
    for (const waiting of this.#queue.splice(0)) waiting.reject(error);
  }
}

function objectType(text: string | undefined): ObjectType {
  if (text === 'tree' || text === 'commit' || text === 'tag') return text;
  return 'blob';
}
