import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { openHttpClient } from '../http/http-client.ts';
import type { TestApp } from '../test-app.ts';
import { requireAnyOrder, wrongLogins, type Credentials, type People } from './accounts.ts';

const people: People = {
  users: [
    { email: 'a@example.com', password: 'one' },
    { email: 'b@example.com', password: 'two' },
  ],
  stranger: { email: 'c@example.com', password: 'three' },
};
const right: readonly Credentials[] = people.users;
const wrong = wrongLogins(people);
const isRight = (login: Credentials): boolean =>
  right.some(({ email, password }) => email === login['email'] && password === login['password']);

let seen: Credentials[] = [];
let admits = isRight;

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (piece: Buffer) => (body += piece.toString()));
  request.on('end', () => {
    const login: Credentials = JSON.parse(body);
    seen.push(login);
    response.writeHead(admits(login) ? 200 : 401).end();
  });
});

/** The order in which an app was asked, `y` for a right login. */
async function order(): Promise<string> {
  seen = [];
  const http = openHttpClient({ endpoint: { port: (server.address() as AddressInfo).port }, totalMs: 30_000 });
  await requireAnyOrder({ http } as TestApp, right, wrong);
  return seen.map((login) => (isRight(login) ? 'y' : 'n')).join('');
}

describe('logins in any order', () => {
  before(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  after(() => server.close());

  test('each is made once, in an order that is drawn, and no right one after three that are wrong', async () => {
    const orders = new Set<string>();
    for (let tries = 0; tries < 100; tries += 1) {
      orders.add(await order());
      assert.deepEqual(
        seen.map((login) => JSON.stringify(login)).sort(),
        [...right, ...wrong].map((login) => JSON.stringify(login)).sort(),
      );
    }
    assert.deepEqual([...orders].sort(), ['nnyyn', 'nynyn', 'nyynn', 'ynnyn', 'ynynn', 'yynnn']);
  });

  const answers: [string, (login: Credentials) => boolean][] = [
    ['admits everybody', () => true],
    ['admits nobody', () => false],
    [
      'does not look whose password it is',
      ({ email, password }) =>
        right.some((user) => user['email'] === email) && right.some((user) => user['password'] === password),
    ],
  ];
  for (const [name, answer] of answers) {
    test(`an app that ${name} is found out`, async () => {
      admits = answer;
      await assert.rejects(order(), { name: 'Unmet' });
    });
  }

  test('an app that counts is found out, unless it is lucky', async () => {
    admits = () => seen.length <= 2;
    const ends = new Set<string>();
    for (let tries = 0; tries < 100; tries += 1)
      ends.add(await order().catch((error: unknown) => (error as Error).name));
    assert.deepEqual([...ends].sort(), ['Unmet', 'yynnn']);
  });
});
