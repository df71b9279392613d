import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { bubblewrapProvider, runCommand } from '@assay/sandbox';
import type { Evaluation, SplitEnvironment } from '../split-facet.ts';
import { nodeMounts, NODE_ENVIRONMENT } from './node-mounts.ts';
import { nodeSplit } from './node-split.ts';

const environment = (interpreter: string): SplitEnvironment => ({ spec: { interpreter }, env: NODE_ENVIRONMENT });

test('the tool runs in a sandbox with all that it imports', async () => {
  const here = environment(process.versions.node);
  const { argv, env, mounts } = nodeSplit.tool(here);
  const sandbox = await bubblewrapProvider().create({
    mounts: [...nodeMounts({ version: process.versions.node, executable: process.execPath }), ...mounts],
    env: { ...here.env, ...env },
  });
  try {
    const ask = async (request: object): Promise<unknown> => {
      await sandbox.writeFile('/tmp/request.json', JSON.stringify(request));
      const { stdout, stderr, exitCode } = await sandbox.exec([...argv, '/tmp/request.json'].join(' '));
      assert.equal(exitCode, 0, stderr);
      return JSON.parse(stdout);
    };
    const text = `test('a', () => { expect(f()).toEqual({ a: 'b' }); });`;
    const files = [{ path: 'a.test.ts', text }];
    const ids = ['a.test.ts > a'];
    const rewritten = await ask({ mode: 'rewrite', runner: 'jest', files, before: [], ids, wanted: ids, native: {} });
    const { expectations, functions } = rewritten as { expectations: unknown; functions: { base: string }[] };
    assert.equal(functions[0]?.base, 'a.test.ts > 0');
    const plan = { tests: [{ id: ids[0], stripped: 'a.test.ts > 0', row: 0, sites: { 0: 'once' } }], expectations };
    await sandbox.writeFile('/tmp/seen', '["a.test.ts > 0",0,"value",[["o",0,[["a","b"]]]]]\n');
    assert.deepEqual(await ask({ mode: 'evaluate', plan, observations: '/tmp/seen' }), {
      tests: { 'a.test.ts > a': { sites: { 0: { count: 1, outcome: 'true' } } } },
      problems: [],
    });
    assert.deepEqual(await ask({ mode: 'battery', plan, files: [], sources: [] }), {
      sites: { 0: { level: 'strong' } },
    });
    assert.ok(await ask({ mode: 'control', runner: 'jest', files, ids }));
  } finally {
    await sandbox.destroy();
  }
});

test('what evaluates in an image needs nothing but Node', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'assay-oracle-'));
  try {
    for (const [path, content] of await nodeSplit.evaluatorFiles()) await writeFile(join(directory, path), content);
    const expectations = {
      functions: { 'a.test.ts > 0': { rows: [], columns: [] } },
      sites: {
        0: {
          base: 'a.test.ts > 0',
          call: 'value',
          code: '$m("toMatchInlineSnapshot",false,"",$k,$[0],["[1]"])',
          leaves: 1,
        },
        1: { base: 'a.test.ts > 0', call: 'value', code: '$m("toMatch",false,"",$k,$[0],[(/^(a+)+$/)])', leaves: 1 },
      },
    };
    const tests = [{ id: 'a', stripped: 'a.test.ts > 0', row: 0, sites: { 0: 'once' } }];
    const observations = join(directory, 'seen');
    const slow = 'a'.repeat(40);
    await writeFile(
      observations,
      `["a.test.ts > 0",0,"value",[["a",[2]]]]\n["a.test.ts > 0",1,"value",["${slow}!"]]\n`,
    );
    await writeFile(
      join(directory, 'request'),
      JSON.stringify({ mode: 'evaluate', plan: { tests, expectations }, observations }),
    );
    const result = await runCommand([process.execPath, join(directory, 'tool.mjs'), join(directory, 'request')]);
    assert.equal(result.exitCode, 0, result.stderr.toString());
    const answer = JSON.parse(result.stdout.toString()) as Evaluation;
    assert.equal(answer.tests['a']?.sites['0']?.outcome, 'false');
    assert.equal(answer.tests['a']?.sites['1']?.outcome, 'error', 'a pattern that takes for ever is stopped');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('a Node that is too old is refused', () => {
  assert.equal(nodeSplit.refusal(environment('20.1.0')), null);
  assert.match(nodeSplit.refusal(environment('18.20.0')) ?? '', /18\.20\.0/);
});

test('rows are no part of a base', () => {
  assert.equal(nodeSplit.baseOf('test/a [1].js > 0 [1] > 3 [2]'), 'test/a [1].js > 0 > 3');
});
