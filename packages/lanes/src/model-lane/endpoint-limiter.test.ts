import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { EndpointLimiter, shareLimiter } from './endpoint-limiter.ts';
import { ASK, chatAnswer, openLane, ScriptedUpstream } from './testing/scripted-upstream.ts';

const never = new AbortController().signal;

test('an overload halves what runs at the same time, good rounds bring it back one by one', async () => {
  const limiter = new EndpointLimiter();
  for (let count = 0; count < 8; count += 1) await limiter.acquire(never);
  limiter.overloaded(0);
  assert.equal(limiter.limit, 4);
  // The others of the same storm are not counted again.
  limiter.overloaded(0);
  assert.equal(limiter.limit, 4);
  for (let count = 0; count < 8; count += 1) limiter.release('fine');
  assert.equal(limiter.limit, 5);
});

test('who waits gets a turn in order; who leaves takes none', async () => {
  const limiter = new EndpointLimiter();
  await limiter.acquire(never);
  limiter.overloaded(0);
  assert.equal(limiter.limit, 1);
  const order: string[] = [];
  const leaving = new AbortController();
  const gone = limiter.acquire(leaving.signal).then(
    () => order.push('gone'),
    () => order.push('left'),
  );
  const first = limiter.acquire(never).then(() => order.push('first'));
  const second = limiter.acquire(never).then(() => order.push('second'));
  leaving.abort();
  await gone;
  limiter.release('unknown');
  await first;
  limiter.release('unknown');
  await second;
  assert.deepEqual(order, ['left', 'first', 'second']);
});

test('a turn that was given to one who leaves at that moment goes to the next', async () => {
  const limiter = new EndpointLimiter();
  await limiter.acquire(never);
  limiter.overloaded(0);
  const leaving = new AbortController();
  const gone = assert.rejects(limiter.acquire(leaving.signal));
  const next = limiter.acquire(never);
  limiter.release('unknown');
  leaving.abort();
  await gone;
  await next;
});

test('lanes to one service share a limiter, until the last is gone', () => {
  const first = shareLimiter('http://one');
  const second = shareLimiter('http://one');
  const other = shareLimiter('http://other');
  assert.equal(first.limiter, second.limiter);
  assert.notEqual(first.limiter, other.limiter);
  for (const { leave } of [first, first, second, other]) leave();
  const fresh = shareLimiter('http://one');
  assert.notEqual(fresh.limiter, first.limiter);
  fresh.leave();
});

test('a service that takes three at a time serves thirty agents, and none hears of it', async () => {
  let [active, refused] = [0, 0];
  const upstream = await ScriptedUpstream.start(async (_call, response) => {
    if (active >= 3) {
      refused += 1;
      response.writeHead(429, { 'retry-after': '0' }).end();
      return;
    }
    active += 1;
    // Long enough that several are there at once on a loaded machine, too.
    await sleep(50);
    active -= 1;
    response.end(chatAnswer());
  });
  const open = await openLane(upstream.origin, { policy: { attempts: 100, backOffMs: 5 } });
  try {
    const answers = await Promise.all(Array.from({ length: 30 }, () => open.post(...ASK.chat())));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.ok(refused > 0);
    assert.equal(open.lane.usage().retries, refused);
    assert.equal(open.lane.stopReason(), null);
  } finally {
    await open.lane.close();
    await upstream.stop();
  }
});
