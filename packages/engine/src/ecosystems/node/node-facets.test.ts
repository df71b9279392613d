import assert from 'node:assert/strict';
import { test } from 'node:test';
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

test("tap's snapshots are modules that are called after tests, and none", () => {
  assert.ok(!nodeEcosystem.tests.isTestFile('tap-snapshots/test/a.test.js.test.cjs'));
});

test('a snapshot belongs to the test file that compares with it', () => {
  for (const [snapshot, file] of [
    ['tap-snapshots/test/a.js.test.cjs', 'test/a.js'],
    ['packages/a/tap-snapshots/test/b.test.ts.test.cjs', 'packages/a/test/b.test.ts'],
    ['src/__snapshots__/a.test.tsx.snap', 'src/a.test.tsx'],
    ['test/snapshots/a.js.md', 'test/a.js'],
    ['docs/snapshots/readme.md', null],
    ['test/fixtures/a.json', null],
  ] as const)
    assert.equal(nodeEcosystem.tests.testOfSnapshot?.(snapshot), file, snapshot);
});
