import type { Guest } from '../javascript/make-guest.ts';
import { makeGuest } from '../javascript/make-guest.ts';
import { makeCodec } from '../../values/make-codec.ts';
import { VALUE_LIMITS } from '../../values/tagged-value.ts';

/** The part of Node's `fs` that the driver uses. */
interface Files {
  readSync(descriptor: number, buffer: Uint8Array): number;
  writeSync(descriptor: number, bytes: Uint8Array, offset: number): number;
}

/**
 * The loop of the driver in Node; see `run-tests/driver-protocol.ts`. Its text is sent inside, so it names nothing
 * outside itself, and it keeps what it needs before foreign code can replace it. Requests are waited for without the
 * event loop: between two cases the submission stands still.
 */
function driveGuest(guest: Guest, files: Files): void {
  const [ANSWERS, REQUESTS] = [3, 4];
  const { parse, stringify } = JSON;
  const { readSync, writeSync } = files;
  const { from, concat, allocUnsafe } = Buffer;
  const later = setImmediate;
  const { pid } = process;
  const kill = process.kill.bind(process);
  let rest: Buffer = from('');
  let nonce = '';
  let pending: string | null = null;

  function readLine(): string | null {
    const pieces = [rest];
    let at = rest.indexOf(10);
    while (at === -1) {
      const chunk = allocUnsafe(65_536);
      const length = readSync(REQUESTS, chunk);
      if (length === 0) return null;
      pieces.push(chunk.subarray(0, length));
      at = chunk.subarray(0, length).indexOf(10);
    }
    const whole = concat(pieces);
    const end = whole.indexOf(10);
    rest = whole.subarray(end + 1);
    return whole.toString('latin1', 0, end);
  }

  function say(word: string, json: string): void {
    const bytes = from(`\n${nonce} ${word} ${json}\n`);
    for (let written = 0; written < bytes.length;) written += writeSync(ANSWERS, bytes, written);
  }

  function answer(id: string, outcome: string): void {
    if (pending !== id) return;
    pending = null;
    say(id, outcome);
    later(next);
  }

  function next(): void {
    const line = readLine();
    // Do not wait for anything that the submission left running.
    if (line === null) return void kill(pid, 'SIGKILL');
    const request = parse(line) as { id: string; input: unknown };
    pending = request.id;
    guest.call(stringify(request.input), (outcome) => answer(request.id, outcome));
  }

  const greeting = parse(readLine() ?? '{}') as { nonce: string; source: string; functionName: string };
  nonce = greeting.nonce;
  say('started', '{}');
  const refusal = guest.load(greeting.source, greeting.functionName);
  if (refusal !== '') {
    const { failed, syntax } = parse(refusal) as { failed: string; syntax?: boolean };
    say('refused', stringify({ reason: failed, syntax: syntax === true }));
    return void kill(pid, 'SIGKILL');
  }
  process.on('beforeExit', () => {
    if (pending !== null) answer(pending, '{"failed":"the promise is never settled"}');
  });
  say('loaded', '{}');
  next();
}

/** A script for `node --eval`. */
export const NODE_DRIVER = `(() => {
const codec = (${makeCodec.toString()})();
const guest = (${makeGuest.toString()})(codec, ${JSON.stringify(VALUE_LIMITS)});
(${driveGuest.toString()})(guest, require('node:fs'));
})()`;
