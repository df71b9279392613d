import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SEAL_CHECKS } from './checks.ts';
import { parseFacts } from './facts.ts';

test('what belongs to a system tree of its own is no file of the host', () => {
  const facts = parseFacts('host-file /boot\nhost-file /host\nend\n');
  assert.ok(facts);
  const found = (inOwnTree: (path: string) => boolean): string | null | undefined =>
    SEAL_CHECKS.find(({ name }) => name === 'host-files')?.find(facts, {
      lanePorts: [],
      ownKernel: false,
      environment: {},
      hostKernel: '',
      inOwnTree,
    });
  assert.equal(
    found(() => false),
    'there is /boot, /host',
  );
  assert.equal(
    found((path) => path === '/boot'),
    'there is /host',
  );
  assert.equal(
    found(() => true),
    null,
  );
});
