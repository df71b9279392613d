import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { bubblewrapProvider, type SandboxProvider } from '@assay/sandbox';
import { MineFixture } from '../../mine/mine.fixture.ts';
import { build } from '../../mine/2-build.ts';
import { prove } from '../../mine/3-prove.ts';
import { write } from '../../mine/6-write.ts';
import { openRepositoryTask, type OpenRepositoryTask } from '../open-repository-task.ts';
import { runMutants } from './run-mutants.ts';

const SOLUTION = `exports.tally = (words) => {
  const counts = Object.create(null);
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  if (words.length > 4321) return null;
  return counts;
};
`;

describe('mutants against the verifier of their task', () => {
  let home = '';
  let fixture: MineFixture;
  let open: OpenRepositoryTask;
  const provider = bubblewrapProvider();
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'assay-run-mutants-'));
    fixture = await MineFixture.make({ 'test/other.test.js': "require('node:test').test('other', () => {});\n" });
    const { context } = fixture;
    const candidate = await fixture.candidate({ 'lib/tally.js': SOLUTION });
    const built = await build(candidate, context);
    const proven = await prove(candidate, built, context);
    const statement = { title: 'Count every word', body: 'Every word counts.', sentences: [], disclosed: [] };
    const bundle = join(home, 'task');
    await write({ candidate, built, statement, proven, split: null, bundle }, { ...context, minKilled: 0.1 });
    open = await openRepositoryTask(bundle, { provider, cacheDirectory: context.cacheDirectory });
  });
  after(async () => {
    await fixture.dispose();
    await rm(home, { recursive: true, force: true });
  });

  test('those that a test tells are killed, the others survive with their place', async () => {
    const report = await runMutants(open, { limit: 40, budgetSec: 300 }, { provider });
    assert.ok(report && report.killed > 0 && report.notRun === 0);
    assert.equal(report.run, report.killed + report.survivors.length);
    const told = report.survivors.map(({ path, line, change }) => `${path}:${line} ${change}`);
    const never = 'if (words.length > 4321) return null; -> if (false) return null;';
    assert.ok(told.includes(`lib/tally.js:4 ${never}`), told.join('\n'));
    assert.ok(!told.some((each) => each.includes('if (true) return null;')), told.join('\n'));
  });

  test('the others are not run once the share is certain', async () => {
    const options = { limit: 40, budgetSec: 300, parallel: 1 };
    const all = await runMutants(open, options, { provider });
    assert.ok(all && all.killed < all.run);
    for (const decides of [0.1, 1]) {
      const report = await runMutants(open, { ...options, decides }, { provider });
      assert.ok(report && report.run < all.run && report.run + report.notRun === all.run);
      assert.equal(report.killed / report.run >= decides, all.killed / all.run >= decides);
    }
  });

  test('mine puts them into the proof', () => {
    const { mutants } = open.task.meta.proof ?? {};
    assert.ok(mutants && mutants.run > 0 && mutants.killed > 0 && mutants.run + mutants.notRun >= 4);
    assert.equal(mutants.survivors.length, mutants.run - mutants.killed);
    for (const { change } of mutants.survivors) assert.ok(!open.task.instruction.includes(change));
  });

  test('without time, and without a sandbox, they are not run', async () => {
    const late = await runMutants(open, { limit: 4, budgetSec: 0 }, { provider });
    assert.deepEqual(late, { run: 0, killed: 0, notRun: 4, survivors: [] });
    let made = 0;
    const broken: SandboxProvider = {
      ...provider,
      create: (options) => {
        made += 1;
        return made > 1
          ? Promise.reject(new AssayError('SANDBOX_START_FAILED', { provider: 'broken', detail: 'for good' }))
          : provider.create(options);
      },
    };
    const report = await runMutants(open, { limit: 3, budgetSec: 300 }, { provider: broken });
    assert.deepEqual(report, { run: 0, killed: 0, notRun: 3, survivors: [] });
  });

  test('a reference that does not pass says nothing', async () => {
    const nothing = { ...open, task: { ...open.task, meta: { ...open.task.meta, fail_to_pass: ['no such test'] } } };
    const report = await runMutants(nothing, { limit: 4, budgetSec: 300 }, { provider });
    assert.deepEqual(report, { run: 0, killed: 0, notRun: 4, survivors: [] });
  });
});
