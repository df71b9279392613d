import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { ECOSYSTEMS, ecosystemOf, registerEcosystem } from './index.ts';
import { pythonEcosystem } from './python/python-ecosystem.ts';

test('an ecosystem from outside is one like the others, once', () => {
  const own = { ...pythonEcosystem, id: 'pretend' };
  const refused = (code: string) => (error: unknown) => AssayError.is(error) && error.code === code;
  assert.throws(() => ecosystemOf('pretend'), refused('UNKNOWN_ECOSYSTEM'));
  registerEcosystem(own);
  assert.equal(ecosystemOf('pretend'), own);
  assert.equal(ECOSYSTEMS.at(-1), own);
  assert.throws(() => registerEcosystem(own), refused('BAD_OPTION'));
});
