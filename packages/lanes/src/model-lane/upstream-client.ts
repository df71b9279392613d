import http from 'node:http';
import https from 'node:https';
import type { ModelLanePolicy } from './contract.ts';
import { failureCode, isLoopback } from './endpoint.ts';

const MAX_HEADER = 32 * 1024;

/** A try that failed. `again`: another may go better. `overload`: the service has too much to do. */
export class AttemptFailure extends Error {
  readonly again: boolean;
  readonly overload: boolean;
  /** Pause that the service asked for. */
  readonly retryAfterMs: number;
  /** The connection was an old one, which the service had closed: no sign of trouble. */
  readonly stale: boolean;

  constructor(
    detail: string,
    options: { again?: boolean; overload?: boolean; retryAfterMs?: number; stale?: boolean } = {},
  ) {
    super(detail);
    this.again = options.again ?? false;
    this.overload = options.overload ?? false;
    this.retryAfterMs = options.retryAfterMs ?? 0;
    this.stale = options.stale ?? false;
  }
}

export interface UpstreamRequest {
  url: URL;
  headers: Record<string, string>;
  body: Buffer;
  /** Until the head of the answer, in milliseconds. */
  headMs: number;
  signal: AbortSignal;
}

/**
 * Posts to one service over connections that are kept. Redirects are not followed, and compression is not asked for.
 */
export class UpstreamClient {
  readonly #agent: http.Agent | https.Agent;
  readonly #policy: ModelLanePolicy;
  readonly #secure: boolean;

  constructor(base: URL, policy: ModelLanePolicy) {
    this.#policy = policy;
    this.#secure = base.protocol === 'https:';
    const options = { keepAlive: true, maxFreeSockets: 64, ...(isLoopback(base) ? {} : { proxyEnv: process.env }) };
    this.#agent = this.#secure ? new https.Agent(options) : new http.Agent(options);
  }

  /**
   * The head of the answer; its body is the caller's to read or destroy. Throws {@link AttemptFailure}, and the
   * signal's reason.
   */
  async post({ url, headers, body, headMs, signal }: UpstreamRequest): Promise<http.IncomingMessage> {
    signal.throwIfAborted();
    const request = (this.#secure ? https : http).request(url, {
      method: 'POST',
      agent: this.#agent,
      signal,
      maxHeaderSize: MAX_HEADER,
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': String(body.length),
        'accept-encoding': 'identity',
        'user-agent': 'assay-model-lane',
      },
    });
    const timers = this.#watch(request, headMs);
    try {
      return await new Promise<http.IncomingMessage>((resolve, reject) => {
        request
          .on('response', resolve)
          .on('error', reject)
          .on('upgrade', (_answer, socket) => {
            socket.destroy();
            reject(new AttemptFailure('the service wants to change the protocol'));
          });
        request.end(body);
      });
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof AttemptFailure ? error : fromSocketError(error, request.reusedSocket);
    } finally {
      timers();
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #watch(request: http.ClientRequest, headMs: number): () => void {
    const { connectMs } = this.#policy;
    const head = setTimeout(
      () => request.destroy(new AttemptFailure(`no answer within ${headMs} ms`, { again: true })),
      headMs,
    );
    let connect: NodeJS.Timeout | undefined;
    request.on('socket', (socket) => {
      if (!socket.connecting) return;
      connect = setTimeout(
        () => request.destroy(new AttemptFailure(`no connection within ${connectMs} ms`, { again: true })),
        connectMs,
      );
      socket.once(this.#secure ? 'secureConnect' : 'connect', () => clearTimeout(connect));
    });
    return () => {
      clearTimeout(head);
      clearTimeout(connect);
    };
  }
}

export function fromSocketError(error: unknown, reused = false): AttemptFailure {
  if (error instanceof AttemptFailure) return error;
  const code = failureCode(error);
  // A certificate that is not trusted stays so, and an answer that is no HTTP as well.
  const final = /CERT|SIGNED|^HPE_/.test(code);
  return new AttemptFailure(`the connection to the service failed (${code})`, {
    again: !final,
    stale: reused && /ECONNRESET|EPIPE/.test(code),
  });
}
