import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { describeFacets } from './facet-conformance.ts';
import { ECOSYSTEMS, ecosystemOf, registerEcosystem } from './index.ts';
import { nodeEcosystem } from './node/node-ecosystem.ts';
import { pythonEcosystem } from './python/python-ecosystem.ts';

describeFacets(pythonEcosystem, {
  test: {
    path: 'tests/test_a.py',
    text: 'def test_adds():\n    assert add(1) == 2\n',
    id: 'tests/test_a.py::test_adds',
    title: 'test_adds',
  },
  source: { path: 'src/a.py', text: 'def add(value):\n    return value + 1\n', functionName: 'add' },
  interpreter: '3.11.7',
});

describeFacets(nodeEcosystem, {
  test: {
    path: 'test/a.test.js',
    text: "test('adds one', () => {\n  add(1);\n});\n",
    id: 'test/a.test.js > adds one',
    title: 'adds one',
  },
  source: { path: 'lib/a.js', text: 'function add(value) {\n  return value + 1;\n}\n', functionName: 'add' },
  interpreter: '24.1.0',
});

test('an ecosystem from outside is one like the others, once', () => {
  const ruby = { ...pythonEcosystem, id: 'ruby' };
  const refused = (code: string) => (error: unknown) => AssayError.is(error) && error.code === code;
  assert.throws(() => ecosystemOf('ruby'), refused('UNKNOWN_ECOSYSTEM'));
  registerEcosystem(ruby);
  assert.equal(ecosystemOf('ruby'), ruby);
  assert.equal(ECOSYSTEMS.at(-1), ruby);
  assert.throws(() => registerEcosystem(ruby), refused('BAD_OPTION'));
});
