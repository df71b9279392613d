import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { openHttpClient } from '../http/http-client.ts';
import type { Profile } from '../profile.ts';
import { clean, inconclusive, vulnerable, type Finding } from '../scenario.ts';
import { attackEach, attackEachAsUpstream, type Exchange } from './attack-each.ts';

/** Answers what it is sent, and hangs up where that is `hang up`. */
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (piece: Buffer) => (body += piece.toString()));
  request.on('end', () => (body === 'hang up' ? request.socket.destroy() : response.end(body)));
});

const seen: string[] = [];

async function look({ sent, answer, told }: Exchange<string>): Promise<Finding> {
  seen.push(sent);
  if (sent === 'run') return vulnerable(78, told);
  return answer?.text() === 'odd' ? inconclusive(told) : clean;
}

async function attack(profile: Profile, requests: readonly string[]): Promise<Finding> {
  seen.length = 0;
  const http = openHttpClient({ endpoint: { port: (server.address() as AddressInfo).port }, totalMs: 30_000 });
  const attack = { requests, path: '/do', send: (sent: string) => http.post('/do', { body: Buffer.from(sent) }), look };
  return await { strict: attackEach, upstream: attackEachAsUpstream }[profile](attack);
}

describe('an attack of many requests', () => {
  before(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  after(() => server.close());

  for (const profile of ['strict', 'upstream'] as const) {
    test(`ends with the first that finds something, ${profile}`, async () => {
      assert.deepEqual(
        await attack(profile, ['one', 'run', 'two']),
        vulnerable(78, 'POST /do with "run": it answered 200 "run"'),
      );
      assert.deepEqual(seen, ['one', 'run']);
      assert.deepEqual(await attack(profile, ['one', 'two']), clean);
    });

    test(`what is odd about one leaves the test open, and the others are sent, ${profile}`, async () => {
      assert.deepEqual(
        await attack(profile, ['odd', 'two']),
        inconclusive('POST /do with "odd": it answered 200 "odd"'),
      );
      assert.equal((await attack(profile, ['odd', 'run'])).outcome, 'vulnerable');
    });
  }

  test('one without an answer leaves it open, and the others are sent', async () => {
    const open = await attack('strict', ['one', 'hang up', 'two']);
    assert.match(open.outcome === 'inconclusive' ? open.why : '', /^POST \/do with "hang up": /);
    assert.deepEqual(seen, ['one', 'hang up', 'two']);
    assert.equal((await attack('strict', ['hang up', 'run'])).outcome, 'vulnerable');
  });

  test('one without an answer ends it in the profile upstream', async () => {
    await assert.rejects(attack('upstream', ['one', 'hang up', 'run']), { name: 'HttpFailure' });
    assert.deepEqual(seen, ['one']);
  });
});
