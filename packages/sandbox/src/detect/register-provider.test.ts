import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NodeVMProvider } from '../providers/node-vm/node-vm-provider.ts';
import { chooseProvider } from './choose-provider.ts';
import { chooseTestProvider } from './choose-test-provider.ts';
import { registerProvider } from './register-provider.ts';

test('a provider from outside is chosen by its name, never by default, and takes no name that another has', async () => {
  const mine = Object.assign(Object.create(new NodeVMProvider()), { name: 'mine', isolation: 'vm' });
  await assert.rejects(chooseProvider('mine'), { code: 'UNKNOWN_PROVIDER' });
  registerProvider(mine);
  assert.equal(await chooseProvider('mine'), mine);
  assert.equal(await chooseTestProvider('python', 'mine'), mine);
  assert.notEqual(await chooseProvider(), mine);
  for (const name of ['mine', 'bubblewrap', 'gvisor', 'quickjs', 'docker', '', 'a:b'])
    assert.throws(() => registerProvider({ ...mine, name }), { code: 'BAD_OPTION' }, name);
});
