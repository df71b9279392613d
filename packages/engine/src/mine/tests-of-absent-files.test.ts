import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeEcosystem } from '../ecosystems/node/node-ecosystem.ts';
import { pythonEcosystem } from '../ecosystems/python/python-ecosystem.ts';
import { testsOfAbsentFiles } from './tests-of-absent-files.ts';

const PYTHON = `import pytest

ROOT = "resources"


@pytest.mark.parametrize("name", ["big.pdf", "other.pdf"])
@pytest.mark.slow
def test_parameters(name):
    read(name)


def test_network():
    fetch()


class TestMore:
    def test_inside(self):
        read(ROOT + "/big.pdf")

    def test_other(self):
        read("small.pdf")
`;
const NODE =
  "describe('reading', () => {\n  it('takes a big one', () => {\n    read('big.pdf');\n  });\n  it('asks for a::b', () => read('big.pdf'));\n  it('a > b', () => read('big.pdf'));\n  it.skip('asks the network', async () => {});\n});\n";
const read = (path: string): Buffer | null =>
  path.endsWith('.py') ? Buffer.from(PYTHON) : path.endsWith('.js') ? Buffer.from(NODE) : null;
const PYTHON_IDS = [
  't.py::test_parameters[big.pdf]',
  't.py::test_parameters[other::.pdf]',
  't.py::test_network',
  't.py::TestMore::test_inside',
  't.py::TestMore::test_other',
  't.py::test_gone',
  'gone.md::x',
];
const NODE_IDS = ['t.js > reading > takes a big one', 't.js > reading > asks for a::b', 't.js > reading > a > b'];
const absent = ['resources/big.pdf'];

test('only tests whose own lines name the file', () => {
  assert.deepEqual(testsOfAbsentFiles(PYTHON_IDS, { absent, read, tests: pythonEcosystem.tests }), [
    't.py::test_parameters[big.pdf]',
    't.py::test_parameters[other::.pdf]',
    't.py::TestMore::test_inside',
  ]);
  assert.deepEqual(testsOfAbsentFiles(NODE_IDS, { absent, read, tests: nodeEcosystem.tests }), [
    't.js > reading > takes a big one',
    't.js > reading > asks for a::b',
    't.js > reading > a > b',
  ]);
});

test('none where nothing is absent', () => {
  assert.deepEqual(testsOfAbsentFiles(PYTHON_IDS, { absent: [], read, tests: pythonEcosystem.tests }), []);
});
