import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

test('no library is used that makes a boundary of JavaScript objects (I10)', () => {
  const lock: { packages: Record<string, unknown> } = JSON.parse(
    readFileSync(new URL('../../../../package-lock.json', import.meta.url), 'utf8'),
  );
  const membranes = Object.keys(lock.packages).filter((path) =>
    /\/(?:vm2|isolated-vm|sandboxed-module|safe-eval|static-eval|realms-shim|near-membrane.*)$/.test(path),
  );
  assert.deepEqual(membranes, []);
});
