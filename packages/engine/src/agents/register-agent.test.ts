import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { findAgent, registerAgent } from './index.ts';
import { nop } from './nop.ts';

test('an agent from outside is found by its name, and takes no name that another has', () => {
  const mine = { ...nop, name: 'my-agent' };
  assert.throws(() => findAgent('my-agent'), { code: 'UNKNOWN_AGENT' });
  registerAgent(mine);
  assert.equal(findAgent('my-agent'), mine);
  for (const name of ['my-agent', 'oracle', 'claude-code', 'cheat:B1', '', 'a b'])
    assert.throws(
      () => registerAgent({ ...nop, name }),
      (error) => AssayError.is(error) && error.code === 'BAD_OPTION',
      name,
    );
  assert.throws(() => findAgent('other'), /my-agent/);
});
