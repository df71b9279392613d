import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { after } from 'node:test';
import { FAKE_DIALECTS, type FakeDialect, type FakeQuestion } from './fake-model/dialects.ts';

/** What reached the server. */
export interface FakeModelRequest extends FakeQuestion {
  dialect: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: unknown;
  /** Of the requests of this server, from 0. */
  index: number;
}

/** What the server does with one request. A string is the text of a good answer. */
export type FakeReply =
  | string
  | { kind: 'answer'; text: string; stop?: 'end' | 'truncated' | 'refused'; servedBy?: string }
  /** An HTTP error, or any body of ours. */
  | { kind: 'status'; status: number; body?: string; headers?: Record<string, string> }
  /** The head says more bytes than come; then the connection ends. */
  | { kind: 'cut' }
  /** The connection ends without a byte. */
  | { kind: 'reset' }
  /** Nothing comes until the server is closed. */
  | { kind: 'silent' }
  | { kind: 'slow'; milliseconds: number; then: FakeReply };

export type FakeResponder = (request: FakeModelRequest) => FakeReply | Promise<FakeReply>;

export interface FakeModelServer {
  /** `http://127.0.0.1:PORT` */
  origin: string;
  /** What to give as an endpoint, by dialect. */
  endpoints: { openai: string; anthropic: string };
  /** All that came so far, oldest first. */
  requests: FakeModelRequest[];
  close(): Promise<void>;
}

/**
 * A model as a real HTTP server on loopback that speaks every dialect of {@link FAKE_DIALECTS}. `respond` decides each answer; an array is
 * answered in order, its last entry again and again.
 */
export async function startFakeModelServer(respond: FakeResponder | readonly FakeReply[]): Promise<FakeModelServer> {
  const requests: FakeModelRequest[] = [];
  const decide: FakeResponder = typeof respond === 'function' ? respond : ({ index }) => respond[Math.min(index, respond.length - 1)] ?? '';
  const server = createServer((request, response) => {
    handle(request, response, requests, decide).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(`the fake model failed: ${String(error)}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  const origin = `http://127.0.0.1:${address.port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { origin, endpoints: { openai: `${origin}/v1`, anthropic: `${origin}/anthropic` }, requests, close };
}

/** The same, closed when the running test is over. To be called in a test, not in a hook. */
export async function useFakeModelServer(respond: FakeResponder | readonly FakeReply[]): Promise<FakeModelServer> {
  const server = await startFakeModelServer(respond);
  after(() => server.close());
  return server;
}

async function handle(request: IncomingMessage, response: ServerResponse, requests: FakeModelRequest[], decide: FakeResponder): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (chunk instanceof Buffer) chunks.push(chunk);
  const path = request.url ?? '';
  const dialect = FAKE_DIALECTS.find(({ suffix }) => path.split('?')[0]?.endsWith(suffix));
  if (dialect === undefined || request.method !== 'POST') {
    response.writeHead(404).end('{"error": {"message": "no such address"}}');
    return;
  }
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  const asked: FakeModelRequest = { ...dialect.readQuestion(body), dialect: dialect.name, path, headers: request.headers, body, index: requests.length };
  requests.push(asked);
  await send(response, dialect, asked, await decide(asked));
}

async function send(response: ServerResponse, dialect: FakeDialect, asked: FakeModelRequest, reply: FakeReply): Promise<void> {
  if (typeof reply === 'string') return send(response, dialect, asked, { kind: 'answer', text: reply });
  switch (reply.kind) {
    case 'answer':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(dialect.writeAnswer({ text: reply.text, stop: reply.stop ?? 'end', model: reply.servedBy ?? asked.model })));
      return;
    case 'status':
      response.writeHead(reply.status, reply.headers).end(reply.body ?? '{"error": {"message": "a fault on demand"}}');
      return;
    case 'cut':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"id": ', () => response.destroy());
      return;
    case 'reset':
      response.destroy();
      return;
    case 'silent':
      return;
    case 'slow':
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, reply.milliseconds);
        response.once('close', () => (clearTimeout(timer), resolve()));
      });
      if (!response.destroyed) await send(response, dialect, asked, reply.then);
  }
}
