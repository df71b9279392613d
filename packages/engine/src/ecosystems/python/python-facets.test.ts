import { describeFacets } from '../facet-conformance.ts';
import { pythonEcosystem } from './python-ecosystem.ts';

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
