import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTests, toTagged, type SandboxProvider, type TestCase, type TestResult } from '@assay/sandbox';
import { EXPECTED_PREFIX, LATER_PREFIX, type AttackWorld, type SubmissionAttack } from './attack.ts';

const LONGEST_ERROR = 1100;
const VARIABLE = 'ASSAY_ATTACK_CANARY';
const BUILT_INS = [
  JSON.stringify,
  JSON.parse,
  Array.isArray,
  Object.keys,
  Array.prototype.every,
  Promise.prototype.then,
];

/**
 * Judges an attack as a submission. Rejects when it got anything: a pass, a secret, a trace on the host, or a judge
 * that judges wrongly afterwards.
 */
export async function runAttack(provider: SandboxProvider, attack: SubmissionAttack): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-attack-'));
  const server = createServer((socket) => {
    calls += 1;
    socket.destroy();
  });
  let calls = 0;
  try {
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address: AddressInfo | string | null = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    const random = (): string => randomBytes(12).toString('hex');
    const secret = `SECRET-${random()}`;
    const world: AttackWorld = {
      expected: EXPECTED_PREFIX + random(),
      later: LATER_PREFIX + random(),
      secret,
      variable: VARIABLE,
      port: address.port,
      secretFile: join(directory, 'secret.txt'),
      targetFile: join(directory, 'target.txt'),
    };
    writeFileSync(world.secretFile, secret);
    process.env[VARIABLE] = secret;
    const results = await judge(provider, attack, world);
    checkResults(results, attack, world);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    assert.equal(calls, 0, 'a server of the host was called');
    assert.equal(existsSync(world.targetFile), false, 'a file was written on the host');
    assert.equal(readFileSync(world.secretFile, 'utf8'), secret, 'a file of the host was changed');
    assert.equal(process.env[VARIABLE], secret, 'the environment of the host was changed');
    assert.deepEqual(
      [JSON.stringify, JSON.parse, Array.isArray, Object.keys, Array.prototype.every, Promise.prototype.then],
      BUILT_INS,
      'a built-in of the host was replaced',
    );
    for (const holder of [{}, [], '', () => undefined])
      assert.equal(Reflect.get(Object(holder), 'polluted'), undefined, 'a prototype of the host was polluted');
    await checkHonest(provider);
  } finally {
    server.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function judge(
  provider: SandboxProvider,
  { code, functionName = 'attack', cases, options }: SubmissionAttack,
  world: AttackWorld,
): Promise<TestResult[]> {
  const standard: TestCase[] = [
    { input: [], expected: world.expected },
    { input: [{ given: world.later }], expected: world.expected },
  ];
  return runTests(provider, typeof code === 'string' ? code : code(world), functionName, cases ?? standard, {
    timeoutMs: 5000,
    ...options,
  });
}

function checkResults(results: TestResult[], { says, cases }: SubmissionAttack, world: AttackWorld): void {
  assert.equal(results.length, cases?.length ?? 2);
  for (const [index, { passed, error = '', got }] of results.entries()) {
    assert.equal(passed, false, `case ${index + 1} passed`);
    assert.ok(
      error !== '' && error.length <= LONGEST_ERROR && !/[\r\n]/.test(error),
      `no clear line: ${error.slice(0, 2000)}`,
    );
    // The comparison runs outside: where its message repeats the expected value, nothing leaked.
    const shown = `${JSON.stringify(toTagged(got))} ${error.replaceAll(`expected ${JSON.stringify(world.expected)}`, '')}`;
    for (const [name, secret] of Object.entries({
      'a secret of the host': world.secret,
      'an expected value': world.expected,
      ...(index === 0 ? { 'a later case': world.later } : {}),
    })) {
      assert.ok(!shown.includes(secret), `it got ${name}`);
    }
  }
  if (says) assert.match(results[0]?.error ?? '', says);
}

async function checkHonest(provider: SandboxProvider): Promise<void> {
  const code = 'const add = (a, b) => a + b;\nmodule.exports = { add };';
  const results = await runTests(
    provider,
    code,
    'add',
    [
      { input: [2, 3], expected: 5 },
      { input: ['a', 'b'], expected: 'ab' },
      { input: [1, 1], expected: 3 },
    ],
    { timeoutMs: 20_000 },
  );
  assert.deepEqual(
    results.map(({ passed }) => passed),
    [true, true, false],
    `the next submission is judged wrongly: ${results.map(({ error }) => error).join('; ')}`,
  );
}
