import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { forgedFrom } from './forged-tokens.ts';

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const signatureOf = (body: string, key: string, digest = 'sha256'): string =>
  createHmac(digest, key).update(body).digest('base64url');

function signed(key: string, algorithm = 'HS256', digest = 'sha256'): string {
  const body = `${encoded({ alg: algorithm, typ: 'JWT' })}.${encoded({ sub: 'user1', exp: 2_000_000_000 })}`;
  return `${body}.${signatureOf(body, key, digest)}`;
}

test('a token whose key nobody guesses is tried without a signature and with a wrong one', () => {
  const token = signed(randomUUID());
  const [unsigned = '', wrong = '', ...others] = forgedFrom(token).map((forged) => forged.token);
  assert.deepEqual(others, []);
  const [header = '', payload, signature] = unsigned.split('.');
  assert.deepEqual(
    [JSON.parse(Buffer.from(header, 'base64url').toString()).alg, payload, signature],
    ['none', token.split('.')[1], ''],
  );
  assert.deepEqual(wrong.split('.').slice(0, 2), token.split('.').slice(0, 2));
  assert.notEqual(wrong.split('.')[2], token.split('.')[2]);
});

test('a guessed key signs another token for the same user, in each algorithm', () => {
  for (const [algorithm, digest] of [
    ['HS256', 'sha256'],
    ['HS384', 'sha384'],
    ['HS512', 'sha512'],
  ] as const) {
    const token = signed('secret', algorithm, digest);
    const forged = forgedFrom(token).at(-1);
    assert.match(forged?.how ?? '', /guessed key "secret"/);
    const [header = '', payload = '', signature] = forged?.token.split('.') ?? [];
    assert.equal(signature, signatureOf(`${header}.${payload}`, 'secret', digest));
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    assert.deepEqual([claims.sub, claims.exp], ['user1', 2_000_000_000]);
    assert.notEqual(forged?.token, token);
  }
});

test('of what is no such token nothing is made, or nothing that is signed', () => {
  for (const token of [undefined, null, 7, '', 'a1b2c3', 'one.two']) assert.deepEqual(forgedFrom(token), []);
  for (const token of ['a.b.c', `${encoded([])}.${encoded(null)}.x`, `${encoded({ alg: 'RS256' })}.${encoded({})}.`])
    assert.equal(forgedFrom(token).length, 2, token);
});
