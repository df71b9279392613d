import assert from 'node:assert/strict';
import { test } from 'node:test';
import { didYouMean } from './nearest-names.ts';

const KNOWN = ['Login', 'Logger', 'Go-net/http', 'Python-Flask', 'Python-FastAPI', 'JavaScript-fastify'];

const cases: [string, string][] = [
  ['login', ' Did you mean Login?'],
  ['Logni', ' Did you mean Login?'],
  ['flask', ' Did you mean Python-Flask?'],
  ['Go-net-http', ' Did you mean Go-net/http?'],
  ['fast', ' Did you mean Python-FastAPI or JavaScript-fastify?'],
  ['Python-Flsk', ' Did you mean Python-Flask?'],
  ['Telephone', ''],
  ['', ''],
  ['x'.repeat(100_000), ''],
];
for (const [name, hint] of cases)
  test(`near ${JSON.stringify(name.slice(0, 20))}`, () => assert.equal(didYouMean(name, KNOWN), hint));
