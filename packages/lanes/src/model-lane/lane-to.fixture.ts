import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import type { ModelLanePolicy } from './contract.ts';
import {
  ASK,
  KEY,
  openLane,
  ScriptedUpstream,
  startRawUpstream,
  type OpenLane,
  type Script,
} from './testing/scripted-upstream.ts';

export const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A lane to a scripted service. Both end after the test. */
export async function laneTo(
  script: Script,
  policy: Partial<ModelLanePolicy> = {},
): Promise<OpenLane & { upstream: ScriptedUpstream }> {
  const upstream = await ScriptedUpstream.start(script);
  cleanups.push(() => upstream.stop());
  const open = await openLane(upstream.origin, { policy });
  cleanups.push(() => open.lane.close());
  return { ...open, upstream };
}

/** A lane to a service that sends raw bytes. Both end after the test. */
export async function laneToRaw(
  bytes: string | ((write: (text: string) => boolean, end: () => void) => void),
  policy: Partial<ModelLanePolicy> = {},
): Promise<OpenLane> {
  const upstream = await startRawUpstream((socket) => {
    if (typeof bytes === 'string') socket.end(bytes);
    else
      bytes(
        (text) => socket.write(text),
        () => socket.end(),
      );
  });
  cleanups.push(upstream.stop);
  const open = await openLane(upstream.origin, { policy: { attempts: 2, ...policy } });
  cleanups.push(() => open.lane.close());
  return open;
}

/** Asserts that the lane answers 400 in words, with nothing that makes a client wait or try again, and stays so. */
export async function assertInfrastructure(open: OpenLane, detail: RegExp, ask = ASK.chat()): Promise<void> {
  for (let time = 0; time < 2; time += 1) {
    const answer = await open.post(...ask);
    assert.equal(answer.status, 400);
    assert.equal(answer.headers.get('retry-after'), null);
    const text = await answer.text();
    assert.match(text, /lane: the model cannot be asked any more, as its service failed/);
    assert.ok(!text.includes(KEY));
    const entry = await open.settled();
    assert.equal(entry.outcome, 'infrastructure');
    assert.match(entry.detail ?? '', detail);
  }
  const stop = open.lane.stopReason();
  assert.equal(stop?.kind, 'infrastructure');
  assert.match(stop.detail, detail);
}
