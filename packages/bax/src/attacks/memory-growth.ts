import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { clean, inconclusive, vulnerable, type Finding } from '../scenario.ts';
import type { TestApp } from '../test-app.ts';

const MIB = 1024 * 1024;
const POLL_MS = 100;
/** What the app may have written to /tmp by then. */
const MOST_TEMPORARY_BYTES = 1024 * MIB;
/** How much longer than the watch an answer may take. */
const LATE_MS = 100;

export interface Bomb {
  /** Sends the request that must not be worth it, and settles when its answer is there. */
  send(signal: AbortSignal): Promise<unknown>;
  /** How long the app is watched. */
  durationMs: number;
  /** Growth over what it took before, in bytes, that is too much. */
  growthBytes: number;
}

/**
 * CWE-400 when one request makes the app take memory or /tmp beyond bounds, end, or answer late. `answered` decides what an answer that came in time
 * means. In the profile `upstream` nothing is flagged before the request has ended, and its failure is thrown; where only polling tells the
 * memory, the profile `strict` is inconclusive.
 */
export async function watchBomb(app: TestApp, { send, durationMs, growthBytes }: Bomb, answered: (answer: unknown) => Finding = () => clean): Promise<Finding> {
  const before = await app.memory();
  if (app.profile === 'strict' && !before.exact) return inconclusive('the memory of the app is not counted exactly on this machine');
  const abandon = new AbortController();
  const request = send(AbortSignal.any([app.signal, abandon.signal])).then((answer) => ({ answer }), (error: unknown) => ({ error }));
  let settled: { answer: unknown } | { error: unknown } | null = null;
  void request.then((value) => (settled = value));
  const flagged = (await grew(app, before.bytes, { durationMs, growthBytes })) ?? (await Promise.race([request.then(() => null), sleep(LATE_MS, `no answer within ${(durationMs + LATE_MS) / 1000} s`)]));
  if (app.profile === 'upstream') settled = await request;
  abandon.abort();
  if (flagged !== null) return vulnerable(400, flagged);
  const end = settled ?? (await request);
  if ('error' in end) throw end.error;
  return answered(end.answer);
}

/** Why it is too much, or null. Whoever dies has taken too much. */
async function grew(app: TestApp, before: number, { durationMs, growthBytes }: Pick<Bomb, 'durationMs' | 'growthBytes'>): Promise<string | null> {
  const end = performance.now() + durationMs;
  while (performance.now() < end) {
    const { bytes } = await app.memory();
    if (bytes > before + growthBytes) return `memory grew from ${mib(before)} to ${mib(bytes)} MiB`;
    if (!(await app.alive())) return 'the app ended';
    await sleep(POLL_MS);
  }
  const temporary = await app.temporaryBytes();
  return temporary > MOST_TEMPORARY_BYTES ? `/tmp holds ${mib(temporary)} MiB` : null;
}

const mib = (bytes: number): number => Math.round(bytes / MIB);
