import type { AttackFacet, AttackFiles } from '../attack-facet.ts';
import { quote } from '../quote-shell.ts';
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

/** Loads the real module, then waits for pytest. */
const SHADOW = `import sys
_path = sys.path[:]
sys.path[:] = [entry for entry in _path if entry not in ('', '/workspace')]
del sys.modules['json']
import json as _json
sys.path[:] = _path
globals().update(vars(_json))
${SITECUSTOMIZE}`;

const SKIP_ALL = `import types as _types
def _skip(*args, **kwargs):
    import pytest
    pytest.skip('later')
for _name, _value in list(globals().items()):
    if isinstance(_value, _types.FunctionType): globals()[_name] = _skip`;

const SILENCE = `import atexit, os
_null = os.open(os.devnull, os.O_WRONLY)
for _fd in range(1, 64):
    try: os.fstat(_fd)
    except OSError: continue
    if _fd != _null: os.dup2(_null, _fd)
atexit.register(lambda: os._exit(0))`;

const READ_EXPECTATIONS = `import linecache as _lines, re as _re, sys as _sys, types as _types
def _answering(real):
    def answer(*args, **kwargs):
        frame = _sys._getframe(1)
        while frame is not None:
            line = _lines.getline(frame.f_code.co_filename, frame.f_lineno)
            found = _re.match(r'\\s*assert .*\\) == (.+)$', line)
            if found: return eval(found.group(1), frame.f_globals, frame.f_locals)
            frame = frame.f_back
        return real(*args, **kwargs)
    return answer
for _name, _value in list(globals().items()):
    if isinstance(_value, _types.FunctionType) and _name != '_answering': globals()[_name] = _answering(_value)`;

const COMPILE =
  'import sys,py_compile as c; c.compile(sys.argv[1],sys.argv[1]+"c",invalidation_mode=c.PycInvalidationMode.UNCHECKED_HASH)';
const INSTALLED = '/opt/env/lib/python3*/site-packages';

const DOWNLOAD =
  'import sys,urllib.request as u; open(sys.argv[2],"wb").write(u.urlopen(sys.argv[1],timeout=5).read())';

const ASK_DATAGRAM =
  'import socket,sys; s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM); s.settimeout(2); s.sendto(b"?",("127.0.0.1",int(sys.argv[1]))); print(s.recv(99).decode())';

export const pythonAttacks: AttackFacet = {
  passingTests,
  passAll: () => PASS_ALL,
  skipAll: SKIP_ALL,
  silence: SILENCE,
  readExpectations: READ_EXPECTATIONS,
  runShell: (script) => `import subprocess\nsubprocess.call(['sh', '-c', ${JSON.stringify(script)}])`,
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
  askDatagram: (port) => ['python3', '-c', ASK_DATAGRAM, String(port)],
  runnerHook: () => ({ 'conftest.py': PASS_ALL }),
  runnerConfiguration: () => ({
    files: { 'pytest.ini': '[pytest]\naddopts = -p forge_plugin\npythonpath = .', 'forge_plugin.py': PASS_ALL },
  }),
  interpreterStart: () => ({ 'sitecustomize.py': SITECUSTOMIZE }),
  shadowedModule: () => ({ 'json.py': SHADOW }),
  compile: (path) => `python3 -c ${quote(COMPILE)} ${quote(path)} && rm ${quote(path)}`,
  patchInstalled: () =>
    `for file in ${INSTALLED}/_pytest/python.py; do printf '\\nFunction.runtest = lambda self: None\\n' >> "$file"; done`,
  loaderHook: () => `for place in ${INSTALLED}; do
printf %s ${quote(SITECUSTOMIZE)} > "$place"/startup_hook.py
echo 'import startup_hook' > "$place"/startup_hook.pth
done`,
  openStart: ({ argv, env }) => ({
    argv: argv.filter((argument) => argument !== '-I' && argument !== '-S'),
    env: { ...env, PYTHONPATH: '/workspace' },
  }),
  installed: INSTALLED,
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
