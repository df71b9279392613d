import { gzipSync } from 'node:zlib';
import { showFault } from './show-fault.ts';
import { contentType, frames, startStream, wait, writeFrames, type Wire } from './write-frames.ts';

/** Sends an answer or shows a fault. Returns once it is out or the client is gone. */
export async function writeReply(wire: Wire): Promise<void> {
  const { response, reply } = wire;
  await wait(response, reply.waitMs);
  if (response.destroyed) return;
  if (reply.fault !== undefined) await showFault(wire, reply.fault);
  else await writeAnswer(wire);
}

async function writeAnswer(wire: Wire): Promise<void> {
  const { response, dialect, request, reply } = wire;
  if (reply.style === 'gzip') {
    const text = request.streams ? frames(wire).join('') : JSON.stringify(dialect.whole(reply.answer));
    response.writeHead(200, { 'content-type': contentType(request), 'content-encoding': 'gzip' }).end(gzipSync(text));
  } else if (!request.streams || reply.style === 'json') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(dialect.whole(reply.answer)));
  } else {
    startStream(wire);
    await writeFrames(wire, frames(wire));
    response.end();
  }
}
