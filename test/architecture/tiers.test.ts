import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { runCommand } from '@assay/sandbox';

const ROOT = join(import.meta.dirname, '../..');
const CRUISER = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

/** Names of the rules that a tree of sources breaks. Each file is given by its imports. */
async function brokenRules(files: Record<string, string[]>): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'assay-tiers-'));
  try {
    await writeFile(
      join(directory, 'tsconfig.json'),
      '{"compilerOptions":{"module":"nodenext","allowImportingTsExtensions":true}}',
    );
    for (const [path, imports] of Object.entries(files)) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      const lines = imports.map((target, index) => `import { x as x${index} } from '${target}';`);
      await writeFile(
        join(directory, path),
        `${lines.join('\n')}\nexport const x = [${imports.map((_, index) => `x${index}`).join(', ')}];\n`,
      );
    }
    const argv = [
      process.execPath,
      CRUISER,
      '--config',
      join(ROOT, '.dependency-cruiser.cjs'),
      '--output-type',
      'json',
      'packages',
    ];
    const { stdout, stderr } = await runCommand(argv, { cwd: directory });
    assert.notEqual(stdout.length, 0, stderr.toString('utf8'));
    const report: { summary: { violations: Array<{ rule: { name: string } }> } } = JSON.parse(stdout.toString('utf8'));
    return [...new Set(report.summary.violations.map((violation) => violation.rule.name))].toSorted();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const ENGINE = 'packages/engine/src';

describe('the rules on imports', () => {
  test('let pass what goes down a tier or stays in the folder', async () => {
    const broken = await brokenRules({
      'packages/protocol/src/errors.ts': [],
      'packages/sandbox/src/a.ts': ['../../protocol/src/errors.ts'],
      'packages/sandbox/src/providers/javascript/b.ts': [],
      'packages/sandbox/src/providers/quickjs/a.ts': ['../javascript/b.ts'],
      [`${ENGINE}/git/a.ts`]: ['../../../sandbox/src/a.ts'],
      [`${ENGINE}/bundle/a.ts`]: ['../git/a.ts'],
      [`${ENGINE}/verify/b.ts`]: [],
      [`${ENGINE}/verify/a.ts`]: ['../bundle/a.ts', './b.ts'],
      [`${ENGINE}/trial/a.ts`]: ['../verify/a.ts', '../git/a.ts'],
      'packages/server/src/a.ts': ['../../engine/src/trial/a.ts'],
    });
    assert.deepEqual(broken, []);
  });

  const violations: Record<string, { files: Record<string, string[]>; rule: string }> = {
    'an import up a tier': {
      files: { [`${ENGINE}/git/a.ts`]: ['../trial/b.ts'], [`${ENGINE}/trial/b.ts`]: [] },
      rule: 'tier-1-git',
    },
    'an import of a later sibling': {
      files: { [`${ENGINE}/bundle/a.ts`]: ['../canaries/b.ts'], [`${ENGINE}/canaries/b.ts`]: [] },
      rule: 'tier-2-bundle',
    },
    'a folder that no tier names': {
      files: { [`${ENGINE}/news/a.ts`]: ['../git/b.ts'], [`${ENGINE}/git/b.ts`]: [] },
      rule: 'folder-without-tier',
    },
    'judging that knows mining': {
      files: { 'packages/judging/src/a.ts': ['../../engine/src/mine/b.ts'], [`${ENGINE}/mine/b.ts`]: [] },
      rule: 'package-judging',
    },
    'a package that imports one above it': {
      files: { 'packages/sandbox/src/a.ts': ['../../engine/src/b.ts'], [`${ENGINE}/b.ts`]: [] },
      rule: 'package-sandbox',
    },
    'a circle': {
      files: { [`${ENGINE}/git/a.ts`]: ['./b.ts'], [`${ENGINE}/git/b.ts`]: ['./a.ts'] },
      rule: 'no-cycles',
    },
    'a provider that knows another': {
      files: {
        'packages/sandbox/src/providers/oci/a.ts': ['../bubblewrap/b.ts'],
        'packages/sandbox/src/providers/bubblewrap/b.ts': [],
      },
      rule: 'family-providers',
    },
    'a sandbox that takes a schema of protocol': {
      files: { 'packages/sandbox/src/a.ts': ['../../protocol/src/task.ts'], 'packages/protocol/src/task.ts': [] },
      rule: 'sandbox-without-schemas',
    },
    'an ecosystem that knows another': {
      files: { [`${ENGINE}/ecosystems/node/a.ts`]: ['../python/b.ts'], [`${ENGINE}/ecosystems/python/b.ts`]: [] },
      rule: 'family-ecosystems',
    },
    'a pipeline that knows another': {
      files: { [`${ENGINE}/mine/pipelines/one/a.ts`]: ['../two/b.ts'], [`${ENGINE}/mine/pipelines/two/b.ts`]: [] },
      rule: 'family-pipelines',
    },
    'a scenario that knows another': {
      files: {
        'packages/bax/src/scenarios/login/a.ts': ['../forum/b.ts'],
        'packages/bax/src/scenarios/forum/b.ts': [],
      },
      rule: 'family-scenarios',
    },
    'an agent that knows another': {
      files: { [`${ENGINE}/agents/cli/codex.ts`]: ['./opencode.ts'], [`${ENGINE}/agents/cli/opencode.ts`]: [] },
      rule: 'family-agents',
    },
    'shipped code that imports the test kit': {
      files: { [`${ENGINE}/git/a.ts`]: ['../../../testkit/src/b.ts'], 'packages/testkit/src/b.ts': [] },
      rule: 'no-test-code',
    },
    'a node: import in protocol': { files: { 'packages/protocol/src/a.ts': ['node:fs'] }, rule: 'protocol-is-pure' },
    'a command that loads the engine before it runs': {
      files: { 'packages/server/src/commands/a.ts': ['../../../engine/src/job/b.ts'], [`${ENGINE}/job/b.ts`]: [] },
      rule: 'light-start',
    },
    'an import that leads nowhere': { files: { [`${ENGINE}/git/a.ts`]: ['./gone.ts'] }, rule: 'no-unresolvable' },
  };
  for (const [name, { files, rule }] of Object.entries(violations)) {
    test(`catch ${name}`, async () => {
      assert.ok((await brokenRules(files)).includes(rule));
    });
  }

  test('let a test import the test kit', async () => {
    const broken = await brokenRules({
      [`${ENGINE}/git/a.test.ts`]: ['../../../testkit/src/b.ts'],
      'packages/testkit/src/b.ts': [],
    });
    assert.deepEqual(broken, []);
  });
});
