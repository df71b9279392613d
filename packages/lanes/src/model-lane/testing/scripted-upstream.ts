import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import type { ModelLane, ModelLaneEntry, ModelLaneOptions } from '../contract.ts';
import { openModelLane } from '../model-lane.ts';

export interface UpstreamCall {
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  text: string;
  body: Record<string, unknown>;
}
export type Script = (call: UpstreamCall, response: http.ServerResponse, index: number) => void | Promise<void>;

/** A service that does what a test tells it to, on loopback, and counts connections. */
export class ScriptedUpstream {
  readonly calls: UpstreamCall[] = [];
  connections = 0;
  script: Script;
  readonly #server: http.Server;

  private constructor(script: Script) {
    this.script = script;
    this.#server = http.createServer((request, response) => void this.#handle(request, response));
    this.#server.on('connection', () => (this.connections += 1));
  }

  static async start(script: Script): Promise<ScriptedUpstream> {
    const upstream = new ScriptedUpstream(script);
    await new Promise<void>((resolve) => upstream.#server.listen(0, '127.0.0.1', resolve));
    return upstream;
  }

  get origin(): string {
    return `http://127.0.0.1:${portOf(this.#server)}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    response.on('error', () => {});
    let text = '';
    try {
      for await (const chunk of request) text += String(chunk);
    } catch {
      return;
    }
    const call = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      text,
      body: JSON.parse(text || '{}') as Record<string, unknown>,
    };
    await this.script(call, response, this.calls.push(call) - 1);
  }
}

/** A service that sends these bytes for every connection, as soon as something comes. */
export async function startRawUpstream(
  serve: (socket: net.Socket) => void,
): Promise<{ origin: string; stop: () => Promise<void> }> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket
      .on('error', () => {})
      .on('close', () => sockets.delete(socket))
      .once('data', () => serve(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { origin: `http://127.0.0.1:${portOf(server)}`, stop };
}

export function portOf(server: net.Server): number {
  const address: AddressInfo | string | null = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

export const KEY = 'sk-the-real-key-0123456789abcdef';

export interface OpenLane {
  lane: ModelLane;
  entries: ModelLaneEntry[];
  port: number;
  origin: string;
  /** Posts with the lane's token in every dialect's header. */
  post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>;
  /** As `fetch` to the lane. */
  send: (path: string, init: RequestInit) => Promise<Response>;
  /**
   * The last entry, once there is one for each request that was sent: a client may see the end of an answer before it
   * is on record.
   */
  settled: () => Promise<ModelLaneEntry>;
}

/** A lane on loopback with tries that follow each other fast. */
export async function openLane(endpoint: string, options: Partial<ModelLaneOptions> = {}): Promise<OpenLane> {
  const entries: ModelLaneEntry[] = [];
  const lane = await openModelLane({
    upstream: { endpoint, dialect: ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'], apiKey: KEY },
    models: ['m-1', 'm-2'],
    listen: { port: 0 },
    record: (entry) => entries.push(entry),
    ...options,
    policy: { backOffMs: 5, ...options.policy },
  });
  const port = lane.address?.port ?? 0;
  const origin = `http://127.0.0.1:${port}`;
  let sent = 0;
  const send = (path: string, init: RequestInit): Promise<Response> => {
    sent += 1;
    return fetch(`${origin}${path}`, init);
  };
  const settled = async (): Promise<ModelLaneEntry> => {
    while (entries.length < sent) await new Promise((resolve) => setImmediate(resolve));
    const last = entries.at(-1);
    if (last === undefined) throw new Error('no entry');
    return last;
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    send(path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': lane.token,
        authorization: `Bearer ${lane.token}`,
        'x-goog-api-key': lane.token,
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return { lane, entries, port, origin, post, send, settled };
}

/** A small request of each dialect, with the path it goes to. */
export const ASK = {
  chat: (more: object = {}): [string, object] => [
    '/v1/chat/completions',
    { model: 'm-1', messages: [{ role: 'user', content: 'hello' }], ...more },
  ],
  responses: (more: object = {}): [string, object] => [
    '/v1/responses',
    {
      model: 'm-1',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] }],
      ...more,
    },
  ],
  messages: (more: object = {}): [string, object] => [
    '/v1/messages?beta=true',
    { model: 'm-1', max_tokens: 64_000, messages: [{ role: 'user', content: 'hello' }], ...more },
  ],
  gemini: (more: object = {}): [string, object] => [
    '/v1beta/models/m-1:streamGenerateContent?alt=sse',
    { contents: [{ role: 'user', parts: [{ text: 'hello' }] }], ...more },
  ],
};

export const sse = (...events: object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

/** A good answer to a chat that asked for no stream. */
export const chatAnswer = (usage: object = { prompt_tokens: 10, completion_tokens: 5 }): string =>
  JSON.stringify({
    object: 'chat.completion',
    choices: [{ message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
    usage,
  });

export const answerChat: Script = (_call, response) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(chatAnswer());
