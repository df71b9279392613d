import { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

import { HttpFailure, type HttpPhase } from './http-failure.ts';

/** Where the application listens: a Unix socket of the host, or in tests a port of the loopback interface. */
export type Endpoint = { readonly socketPath: string } | { readonly port: number };

/** Bounds of one connection. */
export type WireLimits = {
  /** Time without a byte in either direction, in milliseconds. */
  readonly silenceMs: number;
  /** Bytes that may wait unread. */
  readonly waitingBytes: number;
  /** Ends the connection; its reason is the failure. */
  readonly signal: AbortSignal;
};

const BLOCK_BYTES = 16 * 1024;
const READS_AT_ONCE = 1000;
const UNWRITABLE = new Set(['EPIPE', 'ECONNRESET', 'ECONNABORTED', 'ENOTCONN']);

/**
 * A socket whose arriving bytes stay readable after a failed write. A server may answer an upload and close before it
 * has read all of it: the kernel still holds the answer then, while a plain socket of Node drops it with the write's
 * error.
 */
class ListeningSocket extends Socket {
  onBytes: (bytes: Uint8Array | null) => void = () => {};
  onUnwritable: () => void = () => {};

  override push(bytes: unknown): boolean {
    this.onBytes(bytes instanceof Uint8Array ? bytes : null);
    return true;
  }

  override destroy(error?: NodeJS.ErrnoException): this {
    if (error?.syscall === 'write' && UNWRITABLE.has(error.code ?? '')) {
      this.onUnwritable();
      return this;
    }
    return super.destroy(error);
  }
}

/** One connection, read as a file is: by line or by count, where the end is an answer and not an error. */
export class Wire {
  phase: HttpPhase = 'connect';
  readonly #socket = new ListeningSocket();
  readonly #limits: WireLimits;
  readonly #silence: NodeJS.Timeout;
  #blocks: Buffer[] = [];
  /** Room left in the last block when it is one of ours. */
  #room = 0;
  #waiting = 0;
  #reads = 0;
  #ended = false;
  /** A bound that was reached, or no connection at all. */
  #failure: HttpFailure | null = null;
  /** Why the connection broke. */
  #broken: string | null = null;
  #writable = true;
  #wake: () => void = () => {};

  constructor(endpoint: Endpoint, limits: WireLimits) {
    this.#limits = limits;
    this.#silence = setTimeout(
      () => this.#fail(new HttpFailure('timeout', `nothing moved for ${limits.silenceMs} ms`, this.phase)),
      limits.silenceMs,
    );
    this.#socket.onBytes = (bytes) => this.#arrived(bytes);
    this.#socket.onUnwritable = () => this.#stopWriting();
    this.#socket.once('connect', () => {
      this.#silence.refresh();
      this.phase = 'send';
      this.#wake();
    });
    this.#socket.on('error', (error: NodeJS.ErrnoException) => this.#breaks(error.code ?? error.message));
    limits.signal.addEventListener('abort', this.#abort);
    if (limits.signal.aborted) this.#abort();
    else
      this.#socket.connect(
        'port' in endpoint ? { port: endpoint.port, host: '127.0.0.1' } : { path: endpoint.socketPath },
      );
  }

  /** Resolves once the other side took the connection. */
  async connected(): Promise<void> {
    while (this.phase === 'connect') await this.#change();
  }

  /** Sends and waits until the kernel took it. False, once and for all, when the other side takes no more. */
  async send(bytes: Uint8Array): Promise<boolean> {
    if (this.#failure !== null) throw this.#failure;
    if (!this.#writable) return false;
    let done = false;
    this.#socket.write(bytes, () => {
      done = true;
      this.#silence.refresh();
      this.#wake();
    });
    while (!done && this.#writable) await this.#change();
    if (this.#failure !== null) throw this.#failure;
    return this.#writable;
  }

  /** Bytes up to and with the next line feed; fewer at the end or at the limit. */
  async line(limit: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let size = 0;
    while (size < limit && (await this.#some())) {
      const block = this.#blocks[0] ?? Buffer.alloc(0);
      const feed = block.indexOf(10);
      const part = this.#take(Math.min(feed < 0 ? block.length : feed + 1, limit - size));
      parts.push(part);
      size += part.length;
      if (part.at(-1) === 10) break;
    }
    return Buffer.concat(parts);
  }

  /** So many bytes; fewer only at the end. */
  async exactly(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let size = 0;
    while (size < count && (await this.#some())) {
      const part = this.#take(count - size);
      parts.push(part);
      size += part.length;
    }
    return Buffer.concat(parts);
  }

  close(): void {
    clearTimeout(this.#silence);
    this.#limits.signal.removeEventListener('abort', this.#abort);
    this.#socket.destroy();
  }

  /** Whether there is a byte to read; waits for it. Lets timers run now and then, however much waits to be read. */
  async #some(): Promise<boolean> {
    this.#reads += 1;
    if (this.#reads % READS_AT_ONCE === 0) await setImmediate();
    if (this.#failure !== null) throw this.#failure;
    while (this.#waiting === 0 && !this.#ended) await this.#change();
    return this.#waiting > 0;
  }

  #take(count: number): Buffer {
    const [block = Buffer.alloc(0)] = this.#blocks;
    const taken = block.subarray(0, count);
    if (taken.length === block.length) {
      this.#blocks.shift();
      if (this.#blocks.length === 0) this.#room = 0;
    } else {
      this.#blocks[0] = block.subarray(count);
    }
    this.#waiting -= taken.length;
    return taken;
  }

  #arrived(bytes: Uint8Array | null): void {
    if (bytes === null) {
      this.#ended = true;
    } else {
      this.#silence.refresh();
      this.#waiting += bytes.byteLength;
      if (this.#waiting > this.#limits.waitingBytes) {
        this.#fail(new HttpFailure('too-large', `more than ${this.#limits.waitingBytes} bytes came`, this.phase));
        return;
      }
      this.#keep(bytes);
    }
    this.#wake();
  }

  /** Small pieces share a block: a drip of single bytes costs what it weighs. */
  #keep(bytes: Uint8Array): void {
    const last = this.#blocks.at(-1);
    if (last !== undefined && this.#room >= bytes.byteLength) {
      const grown = Buffer.from(last.buffer, last.byteOffset, last.length + bytes.byteLength);
      grown.set(bytes, last.length);
      this.#blocks[this.#blocks.length - 1] = grown;
      this.#room -= bytes.byteLength;
      return;
    }
    const own = bytes.byteLength < BLOCK_BYTES / 4;
    const block = own
      ? Buffer.from(new ArrayBuffer(BLOCK_BYTES), 0, bytes.byteLength)
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (own) block.set(bytes);
    this.#room = own ? BLOCK_BYTES - bytes.byteLength : 0;
    this.#blocks.push(block);
  }

  #stopWriting(): void {
    this.#writable = false;
    this.#wake();
  }

  /** Ends the connection. Bytes already received stay readable: a reset may follow a complete answer. */
  #breaks(why: string): void {
    if (this.phase === 'connect') {
      this.#fail(new HttpFailure('refused', why, 'connect'));
    } else {
      this.#broken = why;
      this.#stopWriting();
    }
  }

  #fail(failure: HttpFailure): void {
    this.#failure ??= failure;
    this.#writable = false;
    this.#socket.destroy();
    this.#wake();
  }

  readonly #abort = (): void => {
    const { reason } = this.#limits.signal;
    this.#fail(
      reason instanceof HttpFailure
        ? new HttpFailure(reason.kind, reason.message, this.phase)
        : new HttpFailure('aborted', 'given up by the caller', this.phase),
    );
  };

  /** Waits for any event, as nothing is left to do without one. */
  async #change(): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    if (this.#broken !== null)
      throw new HttpFailure(this.phase === 'body' ? 'incomplete' : 'closed', this.#broken, this.phase);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
