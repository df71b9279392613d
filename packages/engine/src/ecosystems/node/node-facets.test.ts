import { describeFacets } from '../facet-conformance.ts';
import { nodeEcosystem } from './node-ecosystem.ts';

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
