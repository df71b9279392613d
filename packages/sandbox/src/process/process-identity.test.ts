import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { isAlive, processIdentity } from './process-identity.ts';

test('an identity is alive as long as its process, and no other of the same id', async () => {
  const child = spawn('sleep', ['100']);
  await once(child, 'spawn');
  const identity = processIdentity(child.pid);
  assert.ok(identity !== null && isAlive(identity));
  const [pid, start] = identity.split('-');
  assert.equal(isAlive(identity.replace(`${pid}-${start}`, `${pid}-${Number(start) + 1}`)), false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(isAlive(identity), false);
  assert.equal(processIdentity(child.pid), null);
  const own = processIdentity();
  assert.ok(own !== null && isAlive(own));
});

test('a process of another pid namespace counts as alive', () => {
  assert.equal(isAlive('999999-1-ns12345'), true);
});
