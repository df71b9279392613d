import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Fault } from './script.ts';
import { answerEvents, contentType, frame, frames, startStream, writeFrames, type Wire } from './write-frames.ts';

const MEGABYTE = 1 << 20;
const JSON_HEAD = { 'content-type': 'application/json' };

/** Does to a client what a service at its worst does. */
export async function showFault(wire: Wire, fault: Fault): Promise<void> {
  const { response, dialect, reply, request } = wire;
  const whole = (): string => JSON.stringify(dialect.whole(reply.answer));
  switch (fault.fault) {
    case 'status': {
      const body = fault.body ?? JSON.stringify(dialect.error(fault.status, fault.message));
      response.writeHead(fault.status, { ...JSON_HEAD, ...fault.headers }).end(body);
      return;
    }
    case 'reset':
      await begin(wire, fault.afterEvents);
      reset(response);
      return;
    case 'cut':
      await cut(wire, fault.afterEvents, fault.clean);
      return;
    case 'silent':
      if (fault.after !== 'nothing') await begin(wire, fault.after, true);
      return;
    case 'malformed':
      await malformed(wire, fault.how);
      return;
    case 'endless':
      startStream(wire);
      await writeFrames(wire, endless(wire, fault.lines));
      return;
    case 'huge-header':
      response
        .writeHead(200, { 'content-type': contentType(request), 'x-filler': 'a'.repeat(fault.bytes) })
        .end(whole());
      return;
    case 'gzip-bomb':
      response.writeHead(200, { 'content-type': contentType(request), 'content-encoding': 'gzip' });
      await writeFrames(wire, bomb(fault.megabytes));
      response.end();
      return;
    case 'wrong-length': {
      const body = request.streams ? frames(wire).join('') : whole();
      response.writeHead(200, {
        'content-type': contentType(request),
        'content-length': String(Math.max(0, Buffer.byteLength(body) + fault.by)),
      });
      response.write(body, () => response.socket?.end());
      return;
    }
    case 'redirect':
      response.writeHead(fault.status, { location: fault.location }).end();
      return;
    case 'error-event':
      await errorEvent(wire, fault.message, fault.afterEvents);
  }
}

/** So many events of the answer; without `always`, not even the head when there are none. */
async function begin(wire: Wire, events: number, always = false): Promise<void> {
  if (events === 0 && !always) return;
  if (!wire.request.streams) {
    wire.response.writeHead(200, { ...JSON_HEAD, 'content-length': '1000000' });
    await flushed(wire.response, '{"id": ');
    return;
  }
  startStream(wire);
  await writeFrames(wire, frames(wire).slice(0, events));
  await flushed(wire.response, '');
}

async function cut(wire: Wire, events: number, isClean: boolean): Promise<void> {
  const { response, request } = wire;
  if (isClean && !request.streams) {
    response.writeHead(200, JSON_HEAD).end('{"id": ');
    return;
  }
  await begin(wire, events, true);
  if (isClean) response.end();
  else response.destroy();
}

async function malformed(wire: Wire, how: 'json' | 'html' | 'bytes'): Promise<void> {
  const { response, request } = wire;
  if (how === 'html') {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>Welcome</title><p>Sign in to the network.');
    return;
  }
  response.writeHead(200, { 'content-type': contentType(request) });
  const [first = ''] = frames(wire);
  const broken =
    how === 'json'
      ? Buffer.from('{"id": nothing, [')
      : Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28, 0x1b, 0x5b, 0x32, 0x4a]);
  if (request.streams)
    await writeFrames(wire, [
      first,
      Buffer.concat([Buffer.from('event: \u0000\ndata: '), broken, Buffer.from('\n\n')]),
    ]);
  else response.write(broken);
  response.end();
}

/** The answer's text again and again. */
function* endless(wire: Wire, inLines: boolean): Generator<string> {
  const events = answerEvents(wire);
  const at = Math.max(
    0,
    events.findIndex(({ isText }) => isText),
  );
  const text = events[at] ?? { data: {} };
  if (!inLines) {
    yield 'data: {"filler": "';
    for (;;) yield 'a'.repeat(16_384);
  }
  for (const [index, event] of events.slice(0, at).entries()) yield frame(wire, event, index);
  for (let index = at; ; index += 1) yield frame(wire, text, index);
}

/** Members of one gzip file, all the same; unpacked, blanks. */
function* bomb(megabytes: number): Generator<Uint8Array> {
  const member = gzipSync(Buffer.alloc(MEGABYTE, ' '));
  for (let index = 0; index < megabytes; index += 1) yield member;
}

async function errorEvent(wire: Wire, message: string, events: number): Promise<void> {
  const { response, dialect, request } = wire;
  if (!request.streams) {
    response.writeHead(200, JSON_HEAD).end(JSON.stringify(dialect.error(500, message)));
    return;
  }
  await begin(wire, events, true);
  response.end(frame(wire, dialect.errorEvent(message), events));
}

function reset(response: ServerResponse): void {
  const { socket } = response;
  if (socket !== null && 'resetAndDestroy' in socket) socket.resetAndDestroy();
  else response.destroy();
}

function flushed(response: ServerResponse, text: string): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    response.once('close', resolve);
    if (text === '') setImmediate(resolve);
    else response.write(text, () => resolve());
  });
}
