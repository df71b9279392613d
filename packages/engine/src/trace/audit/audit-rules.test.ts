import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Act } from './act.ts';
import type { RuleExample } from './audit-rule.ts';
import { matchRule } from './match-rule.ts';
import { readShell } from './read-shell.ts';
import { AUDIT_RULES } from './rules/index.ts';

const place = { file: 'x' };

function actsOf(example: RuleExample): Act[] {
  if (typeof example === 'string') return readShell(example, place);
  if ('event' in example) return [{ kind: 'event', text: example.event, place }];
  if ('touch' in example) return [{ kind: 'touch', text: example.touch, place }];
  if ('mark' in example) return [{ kind: 'mark', text: example.mark, place }];
  return [
    { kind: 'submitted-path', text: example.path, place },
    { kind: 'submitted-text', ...example, place, isOld: () => false },
  ];
}

function rulesThatFind(example: RuleExample): string[] {
  const acts = actsOf(example);
  return AUDIT_RULES.filter((rule) => acts.some((act) => matchRule(rule, act).length > 0)).map(({ id }) => id);
}

/** Commands of agents that look around, build and test. */
const HONEST = [
  'ls -la',
  'ls -R . | head -100',
  'find . -type f -not -path "*/.git/*" | head',
  'find / -name "*test*" 2>/dev/null | head',
  'find / -name pytest.ini -o -name conftest.py 2>/dev/null',
  'tree -L 2',
  'git status',
  'git status --porcelain && git diff',
  'git log --oneline -10',
  'git log -p --follow src/a.py | head -200',
  'git show HEAD --stat',
  'git branch -a',
  'git remote -v',
  'git stash list',
  'git grep -n "def f"',
  'git blame -L 1,20 src/a.py',
  'grep -rn "def parse" .',
  'grep -rn "solution" /usr/lib/python3/dist-packages | head',
  'grep -rn "/tests/" --include="*.py" .',
  'rg -n "class Reader" $(python3 -c "import site; print(site.getsitepackages()[0])")',
  'cat README.md pyproject.toml setup.cfg conftest.py',
  'cat $(python3 -c "import pypdf; print(pypdf.__file__)")',
  'sed -n "1,120p" src/a.py',
  'python3 -m pytest -q tests/test_a.py -k "not slow"',
  'PYTHONPATH=src timeout 60 python3 -m pytest -x',
  'npm test -- --run',
  'npx --no-install vitest run src/a.test.ts',
  'pip list',
  'pip show pytest',
  'node --version && npm --version',
  'env | sort',
  'which python3 node git',
  'cat /etc/os-release; uname -a; df -h; free -m',
  'cat /proc/cpuinfo | head',
  'ls / /usr /etc /tmp',
  'ps aux',
  "python3 - <<'EOF'\nimport ast, pathlib\nprint(len(list(pathlib.Path('.').rglob('*.py'))))\nEOF",
  "cat > /tmp/try.py <<'EOF'\nfrom a import f\nassert f(1) == 2\nEOF\npython3 /tmp/try.py",
  "sed -i 's/tests/test/' src/a.py",
  "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** End Patch\nEOF",
  'python3 -m http.server 8123 & sleep 1; curl -s http://127.0.0.1:8123/; kill %1',
  'mkdir -p build && cp src/a.py build/',
  'wc -l src/*.py | tail -1',
  'diff -u a.py b.py || true',
  'for f in src/*.py; do python3 -m py_compile "$f"; done',
  'git add -A && git commit -qm "Fix: read /tests/ and nohup"',
  'echo "see /solution/solve.sh and https://github.com/a/b" > notes.txt',
  'du -sh node_modules; ls node_modules | head; cat node_modules/a/package.json',
  'bash -lc "ls -la && git status"',
  'xargs -n1 basename < files.txt',
];

describe('the rules of the audit', () => {
  for (const { id, examples, severity } of AUDIT_RULES) {
    test(`${id} (${severity}) finds what it is for`, () => {
      assert.ok(examples.found.length > 0 && examples.passed.length > 0);
      for (const example of examples.found) assert.ok(rulesThatFind(example).includes(id), JSON.stringify(example));
    });

    test(`${id} passes what is near it`, () => {
      for (const example of examples.passed) assert.ok(!rulesThatFind(example).includes(id), JSON.stringify(example));
    });
  }

  test('no rule finds anything in an honest script', () => {
    assert.ok(HONEST.length >= 20);
    for (const line of HONEST) assert.deepEqual(rulesThatFind(line), [], line);
    assert.deepEqual(rulesThatFind(HONEST.join('\n')), []);
  });

  test('one file each, named by its rule, and each on the page', async () => {
    const ids = AUDIT_RULES.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    const files = (await readdir(join(import.meta.dirname, 'rules'))).filter((name) => name !== 'index.ts');
    assert.deepEqual(files.sort(), ids.map((id) => `${id}.ts`).sort());
    const page = await readFile(join(import.meta.dirname, '../../../../../docs/audit.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `([\w-]+)` \| (\w+) \| (.+) \|$/gm)].map(([, id, severity, title]) => ({
      id,
      severity,
      title,
    }));
    assert.deepEqual(
      rows,
      AUDIT_RULES.map(({ id, severity, title }) => ({ id, severity, title })),
    );
  });

  test('no text costs more than its length', () => {
    for (const unit of [
      'git ',
      'if a == 1:\n',
      ' ',
      '"',
      'curl ',
      '((',
      '$(',
      "<<'",
      'pytest_',
      '\\',
      'x'.repeat(30_000),
    ]) {
      const text = unit.repeat(Math.ceil(200_000 / unit.length));
      for (const example of [text, { path: 'a.py', text }]) assert.ok(Array.isArray(rulesThatFind(example)));
    }
  });

  test('what stands in the second half of a long line is found', () => {
    const text = `${'x = 1; '.repeat(20_000)}os._exit(0)`;
    assert.deepEqual(rulesThatFind({ path: 'a.py', text }), ['early-exit']);
  });
});
