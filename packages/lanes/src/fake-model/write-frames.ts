import type { ServerResponse } from 'node:http';
import type { FakeDialect, FakeModelRequest, FakeReply, StreamEvent } from './contract.ts';

/** How the answer to one request reaches the client. */
export interface Wire {
  response: ServerResponse;
  dialect: FakeDialect;
  request: FakeModelRequest;
  reply: FakeReply;
}

export function startStream({ response, request }: Wire): void {
  response.writeHead(200, { 'content-type': contentType(request), 'cache-control': 'no-cache' });
  response.flushHeaders();
}

export function contentType(request: FakeModelRequest): string {
  return request.streams && !isArrayStream(request) ? 'text/event-stream' : 'application/json';
}

/** Gemini streams an array when it is not asked for events. */
function isArrayStream({ dialect, path }: FakeModelRequest): boolean {
  return dialect === 'gemini' && !/[?&]alt=sse(?:&|$)/.test(path);
}

/** The events of the answer, in the order of the dialect. */
export function answerEvents({ dialect, request, reply }: Wire): StreamEvent[] {
  return dialect.events(reply.answer, {
    chunk: reply.chunk,
    minimal: reply.style === 'minimal',
    wantsUsage: request.wantsUsage,
  });
}

/** The whole stream, in the pieces in which it is to be written. */
export function frames(wire: Wire): string[] {
  const shown = answerEvents(wire).map((event, index) => frame(wire, event, index));
  if (isArrayStream(wire.request)) return [...shown, ']'];
  return wire.dialect.end === null || wire.reply.style === 'minimal' ? shown : [...shown, wire.dialect.end];
}

/** One event as it is written; `index`: its place in the stream. */
export function frame({ request, reply, dialect }: Wire, { event, data }: StreamEvent, index: number): string {
  const text = JSON.stringify(data);
  if (isArrayStream(request)) return `${index === 0 ? '[' : ',\n'}${text}`;
  // Anthropic's clients cannot do without.
  const isNamed = event !== undefined && (reply.style !== 'minimal' || dialect.name === 'anthropic-messages');
  return `${isNamed ? `event: ${event}\n` : ''}data: ${text}\n\n`;
}

/** Each piece on its own, at the pace of the reply; stops when the client is gone. */
export async function writeFrames({ response, reply }: Wire, pieces: Iterable<string | Uint8Array>): Promise<void> {
  let isFirst = true;
  for (const piece of pieces) {
    if (!isFirst) await wait(response, reply.paceMs);
    isFirst = false;
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.removeListener('drain', done);
      response.removeListener('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}

/** At most until the client is gone. */
export async function wait(response: ServerResponse, milliseconds: number): Promise<void> {
  if (milliseconds === 0) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      response.removeListener('close', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    response.once('close', done);
  });
}
