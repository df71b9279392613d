import type { AttackFacet, AttackFiles } from '../attack-facet.ts';
import { pythonTests } from './python-tests.ts';

const PASS_ALL = `import _pytest.python as _p
_p.Function.runtest = lambda self: None`;

const ALWAYS_EQUAL = `class _Equal:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __call__(self, *args, **kwargs): return self
    def __getattr__(self, name): return self
    def __iter__(self): return iter(())
    def __contains__(self, item): return True
    def __len__(self): return 1
import types as _types
for _name, _value in list(globals().items()):
    if isinstance(_value, _types.FunctionType): globals()[_name] = _Equal()`;

/** This is loaded before pytest, so the patch waits for it. */
const SITECUSTOMIZE = `import builtins
_import = builtins.__import__
def _watch(name, *args, **kwargs):
    module = _import(name, *args, **kwargs)
    if name.startswith('_pytest') or name == 'pytest':
        import sys
        python = sys.modules.get('_pytest.python')
        if getattr(python, 'Function', None) is not None:
            builtins.__import__ = _import
${PASS_ALL.split('\n')
  .map((line) => `            ${line}`)
  .join('\n')}
    return module
builtins.__import__ = _watch`;

const DOWNLOAD =
  'import sys,urllib.request as u; open(sys.argv[2],"wb").write(u.urlopen(sys.argv[1],timeout=5).read())';

export const pythonAttacks: AttackFacet = {
  passingTests,
  passAll: () => PASS_ALL,
  exit: 'import os\nos._exit(0)',
  alwaysEqual: ALWAYS_EQUAL,
  writeFile: (path, text) =>
    `try:\n    open(${JSON.stringify(path)}, 'w').write(${JSON.stringify(text)})\nexcept OSError:\n    pass`,
  printAndExit: (last, text) =>
    [
      'import os',
      `for _fd in range(1, ${last + 1}):`,
      `    try: os.write(_fd, ${JSON.stringify(text)}.encode())`,
      '    except OSError: pass',
      'os._exit(0)',
    ].join('\n'),
  download: (url, path) => ['python3', '-c', DOWNLOAD, url, path],
  runnerHook: () => ({ 'conftest.py': PASS_ALL }),
  runnerConfiguration: () => ({
    files: { 'pytest.ini': '[pytest]\naddopts = -p forge_plugin\npythonpath = .', 'forge_plugin.py': PASS_ALL },
  }),
  interpreterStart: () => ({ 'sitecustomize.py': SITECUSTOMIZE }),
  openStart: ({ argv, env }) => ({
    argv: argv.filter((argument) => argument !== '-I' && argument !== '-S'),
    env: { ...env, PYTHONPATH: '/workspace' },
  }),
  installed: '/opt/env/lib/python3*/site-packages',
};

function passingTests(_runner: string, ids: readonly string[]): AttackFiles | null {
  const files: Record<string, string> = {};
  for (const id of ids) {
    const { file, names } = pythonTests.splitId(id);
    const test = names.at(-1);
    if (test === undefined || id.includes('[')) return null;
    const suites = names.slice(0, -1);
    const classes = suites.map((part, depth) => `${'  '.repeat(depth)}class ${part}:\n`).join('');
    const self = suites.length > 0 ? 'self' : '';
    const stub = `${classes}${'  '.repeat(suites.length)}def ${test}(${self}): pass`;
    files[file] = file in files ? `${files[file]}\n${stub}` : stub;
  }
  return files;
}
