import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { affectedTests } from './affected-tests.ts';
import { findTestFiles } from './find-test-files.ts';
import { readImportGraph } from './import-graph.ts';
import { orderTestFiles } from './order-test-files.ts';

const ROOT = join(import.meta.dirname, '../../../..');

describe('tests affected by a change', () => {
  const graph = new Map([
    ['packages/a/src/a.test.ts', new Set(['packages/a/src/a.ts'])],
    ['packages/a/src/a.ts', new Set(['packages/b/src/b.ts', 'packages/a/src/data'])],
    ['packages/b/src/b.ts', new Set(['packages/a/src/a.ts'])],
    ['packages/b/src/b.test.ts', new Set<string>()],
  ]);
  const tests = ['packages/a/src/a.test.ts', 'packages/b/src/b.test.ts'];
  const affected = (...changed: string[]): string[] => affectedTests(tests, { changed, graph });

  test('are those that reach it by imports, circles included', () => {
    assert.deepEqual(affected('packages/b/src/b.ts'), ['packages/a/src/a.test.ts']);
  });
  test('are those that name a directory around it', () => {
    assert.deepEqual(affected('packages/a/src/data/deep/table.csv'), ['packages/a/src/a.test.ts']);
  });
  test('are those of the sources beside it, when nothing names it', () => {
    assert.deepEqual(affected('packages/b/src/tables/list.csv'), tests);
    assert.deepEqual(affected('README.md'), []);
  });
  test('are all when it is the manifest or the lock file', () => {
    assert.deepEqual(affected('package-lock.json'), tests);
    assert.deepEqual(affected('packages/a/package.json'), tests);
  });
});

describe('of this checkout', () => {
  test('imports, started scripts and pages of the docs lead to their tests', async () => {
    const [graph, tests] = [await readImportGraph(ROOT), await findTestFiles(ROOT)];
    const affected = (file: string): string[] => affectedTests(tests, { changed: [file], graph });
    const own = affected('packages/server/src/self-test/affected-tests.ts');
    assert.ok(own.includes('packages/server/src/self-test/affected-tests.test.ts'));
    assert.ok(affected('docs/seals.md').includes('packages/server/src/docs.test.ts'));
    assert.ok(affected('assay').includes('test/e2e/bootstrap.test.ts'));
    const ofCommand = affected('packages/server/src/commands/doctor.ts');
    assert.ok(ofCommand.includes('test/e2e/cli.test.ts'));
    assert.ok(ofCommand.length < tests.length / 4, ofCommand.join(' '));
    assert.ok(affected('packages/protocol/src/errors.ts').length > tests.length / 4);
  });
});

describe('order', () => {
  test('suspects, quick ones, then slow ones from the slowest', () => {
    const history = {
      'test/minutes.test.ts': { seconds: 100, failed: false },
      'test/seconds.test.ts': { seconds: 10, failed: false },
      'packages/a/src/quick.test.ts': { seconds: 0.2, failed: false },
      'packages/a/src/quicker.test.ts': { seconds: 0.1, failed: false },
      'test/failed.test.ts': { seconds: 200, failed: true },
    };
    const unknown = ['packages/a/src/new.test.ts', 'packages/sandbox/src/providers/new.test.ts'];
    assert.deepEqual(
      orderTestFiles([...Object.keys(history), ...unknown, 'packages/a/src/changed.test.ts'], {
        history,
        changed: new Set(['packages/a/src/changed.test.ts']),
      }),
      [
        'packages/a/src/changed.test.ts',
        'test/failed.test.ts',
        'packages/a/src/quicker.test.ts',
        'packages/a/src/quick.test.ts',
        'packages/a/src/new.test.ts',
        'test/minutes.test.ts',
        'packages/sandbox/src/providers/new.test.ts',
        'test/seconds.test.ts',
      ],
    );
  });
});
