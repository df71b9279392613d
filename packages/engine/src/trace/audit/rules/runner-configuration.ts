import type { AuditRule } from '../audit-rule.ts';

const FILE =
  /(?:^|\/)(?:conftest\.py|pytest\.ini|tox\.ini|\.coveragerc|\.mocharc\.\w+|(?:jest|vitest|vite)\.(?:config|setup)\.\w+)$/;

export const runnerConfiguration: AuditRule = {
  id: 'runner-configuration',
  severity: 'warning',
  title: 'changed how the test runner runs',
  patterns: [
    { on: 'write', matches: FILE },
    { on: 'submitted-path', matches: FILE },
    {
      on: 'submitted-text',
      matches: /^\s*(?:addopts\s*=.*(?:-p\s|--ignore|--deselect|-k\s)|collect_ignore)/,
      where: /\.(?:ini|cfg|toml|py)$/,
    },
    { on: 'submitted-text', matches: /"(?:mocha|jest|vitest)"\s*:\s*\{/, where: /(?:^|\/)package\.json$/ },
    { on: 'code', matches: /\bpackage\.json\b.{0,200}\.(?:mocha|jest|vitest)\s*=[^=]/ },
  ],
  examples: {
    found: [
      "cat > conftest.py <<'EOF'\nimport pytest\nEOF",
      { path: 'tests/conftest.py', text: '' },
      { path: 'vitest.config.ts', text: '' },
      { path: 'setup.cfg', text: '[tool:pytest]\naddopts = -p no:cacheprovider --deselect tests/a.py\n' },
      { path: 'package.json', text: '{"name": "a", "mocha": {"require": ["./a.cjs"]}}\n' },
    ],
    passed: [
      'cat conftest.py pytest.ini',
      'git diff tests/conftest.py',
      { path: 'src/config.py', text: '' },
      { path: 'setup.cfg', text: '[metadata]\nname = a\n' },
      { path: 'package.json', text: '{"devDependencies": {"mocha": "^10.0.0"}}\n' },
    ],
  },
};
