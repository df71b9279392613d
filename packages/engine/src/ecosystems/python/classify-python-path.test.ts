import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { classifyPythonPath } from './classify-python-path.ts';

const PATHS = {
  source: [
    'src/click/core.py',
    'click/core.py',
    'six.py',
    'src/pkg/testing/util.py',
    'pkg/testing/__init__.py',
    'django/test/client.py',
    'werkzeug/test.py',
    'src/pkg/py.typed',
    'src/pkg/templates/page.html',
    'pkg/data/words.txt',
    'src/pkg/_speedups.pyx',
    'lib/yaml/reader.py',
    'src/click/__init__.pyi',
  ],
  test: [
    'tests/test_basic.py',
    'tests/data/input.bin',
    'tests/__init__.py',
    'test/util.py',
    'testing/python/fixtures.py',
    'src/pkg/tests/helpers.py',
    'pkg/tests/data/a.json',
    'test_six.py',
    'pkg/core_test.py',
    'conftest.py',
    'src/pkg/conftest.py',
    'app/tests.py',
    'pkg/test/test_client.py',
    'test.py',
  ],
  other: [
    'README.md',
    'CHANGES.rst',
    'docs/conf.py',
    'docs/api.md',
    'setup.py',
    'setup.cfg',
    'pyproject.toml',
    'tox.ini',
    '.github/workflows/tests.yaml',
    'changes/123.feature.rst',
    'examples/tests/test_app.py',
    'uv.lock',
    'requirements/tests.txt',
    'noxfile.py',
    'news/1.bugfix',
    'performance/benchmark.py',
    'pkg/__pycache__/core.cpython-311.pyc',
    'src/pkg.egg-info/PKG-INFO',
    'LICENSE.txt',
    'scripts/release.py',
  ],
} as const;

describe('classifyPythonPath', () => {
  for (const kind of ['source', 'test', 'other'] as const) {
    test(kind, () => {
      for (const path of PATHS[kind]) assert.equal(classifyPythonPath(path), kind, path);
    });
  }
});
