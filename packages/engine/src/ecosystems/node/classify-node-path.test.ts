import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { classifyNodePath } from './classify-node-path.ts';

const PATHS = {
  source: [
    'src/index.ts',
    'lib/parse.js',
    'index.js',
    'bin/semver.js',
    'classes/range.js',
    'range.mjs',
    'packages/core/src/a.tsx',
    'packages/core/index.js',
    'src/data/entities.json',
    'src/test-utils.ts',
    'internal/re.cjs',
    'src/config/load.ts',
  ],
  test: [
    'test/a.js',
    'tests/fixture/x.json',
    'src/__tests__/a.ts',
    'src/a.test.ts',
    'lib/a.spec.mjs',
    'a-test.js',
    'test.js',
    'test/types.test-d.ts',
    'spec/helper.js',
    'packages/core/test/a.js',
    'src/__snapshots__/a.snap',
    'fixtures/input.html',
    'tap-snapshots/test/a.js.test.cjs',
    'test/fixtures/README.md',
    'src/__mocks__/fs.js',
  ],
  other: [
    'README.md',
    'package.json',
    'pnpm-lock.yaml',
    'package-lock.json',
    'vitest.config.ts',
    'tsconfig.json',
    '.eslintrc.js',
    'eslint.config.mjs',
    'docs/a.js',
    'dist/index.js',
    'packages/core/dist/a.js',
    'packages/core/package.json',
    'CHANGELOG.md',
    'benchmarks/b.js',
    '.github/x.js',
    'node_modules/a/index.js',
    'rollup.config.js',
    'gulpfile.js',
    'examples/app.test.js',
    'range.bnf',
  ],
} as const;

describe('classifyNodePath', () => {
  for (const kind of ['source', 'test', 'other'] as const) {
    test(kind, () => {
      for (const path of PATHS[kind]) assert.equal(classifyNodePath(path), kind, path);
    });
  }
});
