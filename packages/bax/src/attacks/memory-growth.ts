import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpFailure } from '../http/http-failure.ts';
import { clean, inconclusive, vulnerable, type Finding } from '../scenario.ts';
import type { TestApp } from '../test-app.ts';

const MIB = 1024 * 1024;
const POLL_MS = 100;
/** Limit of what the app may have written to /tmp by the end of the watch. */
const MOST_TEMPORARY_BYTES = 1024 * MIB;
/**
 * A look of upstream's takes this long, as Docker waits for its next figures, and tells what is taken by then: a peak
 * that is over is not seen.
 */
const UPSTREAM_LOOK_MS = 1900;
/**
 * How much longer than the watch an answer may take upstream: a tenth of a second, and what it takes to run `du` in a
 * container.
 */
const LATE_MS = 300;

export interface Bomb {
  /** Sends the request that must not be worth it, and settles when its answer is there. */
  send(signal: AbortSignal): Promise<unknown>;
  /** How long the app is watched. */
  durationMs: number;
  /** Growth over what it took before, in bytes, that is too much. */
  growthBytes: number;
}

type Settled = { answer: unknown } | { error: unknown };

/** The request, under way. */
interface Sent {
  settled: Settled | null;
  end: Promise<Settled>;
}

/** Decides what an answer that came in time means. */
type Answered = (answer: unknown) => Finding;

/**
 * CWE-400 when one request makes the app take memory or /tmp beyond bounds, or end, or when it is not answered in the
 * time of any request, so that a busy machine makes no app vulnerable. The app is watched until then. Inconclusive
 * where only polling tells the memory.
 */
export async function watchBomb(app: TestApp, bomb: Bomb, answered: Answered = () => clean): Promise<Finding> {
  const before = await app.memory();
  if (!before.exact) return inconclusive('the memory of the app is not counted exactly on this machine');
  const abandon = new AbortController();
  const request = launch(bomb, AbortSignal.any([app.signal, abandon.signal]));
  const flagged = (await grew(app, before.bytes, bomb, request)) ?? late(await request.end);
  abandon.abort();
  return await judge(flagged, request, answered);
}

/**
 * The answer must be there a moment after the watch, nothing is flagged before the request has ended, and its failure
 * is thrown.
 */
export async function watchBombAsUpstream(
  app: TestApp,
  bomb: Bomb,
  answered: Answered = () => clean,
): Promise<Finding> {
  const before = await app.memory();
  const request = launch(bomb, app.signal);
  const flagged = (await grewAsUpstream(app, before.bytes, bomb)) ?? (await lateAsUpstream(bomb, request));
  await request.end;
  return await judge(flagged, request, answered);
}

async function judge(flagged: string | null, request: Sent, answered: Answered): Promise<Finding> {
  if (flagged !== null) return vulnerable(400, flagged);
  const end = await request.end;
  if ('error' in end) throw end.error;
  return answered(end.answer);
}

function launch({ send }: Bomb, signal: AbortSignal): Sent {
  const end = send(signal).then(
    (answer): Settled => ({ answer }),
    (error: unknown): Settled => ({ error }),
  );
  const sent: Sent = { settled: null, end };
  void end.then((settled) => (sent.settled = settled));
  return sent;
}

/** Why it is too much, or null. Whoever dies has taken too much. */
async function grew(app: TestApp, before: number, bomb: Bomb, request: Sent): Promise<string | null> {
  const end = performance.now() + bomb.durationMs;
  while (performance.now() < end || request.settled === null) {
    const why = await tooMuch(app, before, bomb);
    if (why !== null) return why;
    await sleep(POLL_MS);
  }
  return await tooMuchTemporary(app);
}

async function grewAsUpstream(app: TestApp, before: number, bomb: Bomb): Promise<string | null> {
  const end = performance.now() + bomb.durationMs;
  while (performance.now() < end) {
    await sleep(UPSTREAM_LOOK_MS);
    const why = await tooMuch(app, before, bomb);
    if (why !== null) return why;
    await sleep(POLL_MS);
  }
  return (await app.alive()) ? await tooMuchTemporary(app) : 'the app ended';
}

async function tooMuch(app: TestApp, before: number, { growthBytes }: Bomb): Promise<string | null> {
  const { bytes } = await app.memory();
  if (bytes > before + growthBytes) return `memory grew from ${mib(before)} to ${mib(bytes)} MiB`;
  return (await app.alive()) ? null : 'the app ended';
}

async function tooMuchTemporary(app: TestApp): Promise<string | null> {
  const temporary = await app.temporaryBytes();
  return temporary > MOST_TEMPORARY_BYTES ? `/tmp holds ${mib(temporary)} MiB` : null;
}

function late(end: Settled): string | null {
  return 'error' in end && end.error instanceof HttpFailure && end.error.kind === 'timeout'
    ? `no answer: ${end.error.message}`
    : null;
}

async function lateAsUpstream({ durationMs }: Bomb, { end }: Sent): Promise<string | null> {
  return await Promise.race([
    end.then(() => null),
    sleep(LATE_MS, `no answer within ${(durationMs + LATE_MS) / 1000} s`),
  ]);
}

const mib = (bytes: number): number => Math.round(bytes / MIB);
