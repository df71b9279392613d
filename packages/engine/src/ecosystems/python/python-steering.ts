/**
 * Files with which a tree steers pytest, coverage or the interpreter. A submission's versions of them never reach the
 * verifier: `*.pyc` because one without its source is imported, `*.pth` and `sitecustomize` because they run before any
 * test.
 */
export const PYTHON_STEERING: readonly string[] = [
  '**/conftest.py',
  '**/pytest.ini',
  '**/.pytest.ini',
  '**/pytest.toml',
  '**/.pytest.toml',
  '**/tox.ini',
  '**/setup.cfg',
  '**/pyproject.toml',
  'setup.py',
  'noxfile.py',
  '**/sitecustomize.py',
  '**/usercustomize.py',
  '**/*.pth',
  '**/*.egg-link',
  '**/pyvenv.cfg',
  '**/*.egg-info/**',
  '**/*.egg-info',
  '**/*.dist-info/**',
  '**/.coveragerc',
  '**/coverage.cfg',
  '**/*.pyc',
  '**/__pycache__/**',
];
