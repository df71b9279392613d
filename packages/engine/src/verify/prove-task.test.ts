import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { RunCount } from '@assay/protocol';
import { bubblewrapProvider, type SandboxProvider } from '@assay/sandbox';
import { build } from '../mine/2-build.ts';
import { prove } from '../mine/3-prove.ts';
import { write } from '../mine/6-write.ts';
import { MineFixture } from '../mine/mine.fixture.ts';
import { openRepositoryTask, type OpenRepositoryTask } from './open-repository-task.ts';
import { proveTask } from './prove-task.ts';

const FIX = 'test/tally.test.js > counts a word that every object has';
const KEPT = 'test/tally.test.js > counts words';
const OTHER = 'test/other.test.js > other';

describe('the proof that ends early', () => {
  let home = '';
  let fixture: MineFixture;
  let open: OpenRepositoryTask;
  const provider = bubblewrapProvider();
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'assay-prove-'));
    const wavers =
      "require('node:test').test('wavers', () => { if (process.env.RUN !== '4') throw new Error('no'); });\n";
    fixture = await MineFixture.make({
      'test/other.test.js': "require('node:test').test('other', () => {});\n",
      'test/wavers.test.js': wavers,
    });
    const { context } = fixture;
    const candidate = await fixture.candidate();
    const built = await build(candidate, context);
    const proven = await prove(candidate, built, context);
    const statement = { title: 'Count every word', body: 'Every word counts.', sentences: [], disclosed: [] };
    const bundle = join(home, 'task');
    await write({ candidate, built, statement, proven, split: null, bundle }, context);
    open = await openRepositoryTask(bundle, { provider, cacheDirectory: context.cacheDirectory });
  });
  after(async () => {
    await fixture.dispose();
    await rm(home, { recursive: true, force: true });
  });

  /** The task with other tests to pass. */
  const wanting = (failToPass: string[], passToPass: string[], files: string[]): OpenRepositoryTask => {
    const { task } = open;
    const test = { ...task.meta.test, files };
    return {
      ...open,
      task: { ...task, meta: { ...task.meta, fail_to_pass: failToPass, pass_to_pass: passToPass, test } },
    };
  };

  interface Seen {
    reference: RunCount;
    noop: RunCount;
    testsOnly: RunCount | null | undefined;
    reasons: string[];
    /** The number of test files of each run, in their order. */
    ran: number[];
  }
  /** Tests learn from the variable RUN which run of the proof it is, from 1. */
  const proving = async (task: OpenRepositoryTask, failsEarly: boolean): Promise<Seen> => {
    const ran: number[] = [];
    const create: SandboxProvider['create'] = async (options = {}) => {
      const run = ran.push(0);
      const sandbox = await provider.create({ ...options, env: { ...options.env, RUN: String(run) } });
      const exec: typeof sandbox.exec = (command, more) => {
        const words = JSON.stringify([more?.argv, more?.env, typeof more?.stdin === 'string' ? more.stdin : '']);
        ran[run - 1] = new Set(words.match(/test\/\w+\.test\.js/g)).size;
        return sandbox.exec(command, more);
      };
      return new Proxy(sandbox, {
        get: (target, name) => {
          const value: unknown = name === 'exec' ? exec : Reflect.get(target, name, target);
          return typeof value === 'function' && name !== 'exec' ? value.bind(target) : value;
        },
      });
    };
    const { cacheDirectory } = fixture.context;
    const report = await proveTask(task, { runs: 3, failsEarly, provider: { ...provider, create }, cacheDirectory });
    const { reference, noop, testsOnly, reasons } = report;
    return { reference, noop, testsOnly, reasons, ran };
  };
  const FILES = ['test/other.test.js', 'test/tally.test.js'];

  test('runs the no-op with all files once, then on those of the fix, and says the same', async () => {
    const task = wanting([FIX], [KEPT, OTHER], FILES);
    const [early, whole] = [await proving(task, true), await proving(task, false)];
    const { ran, ...said } = early;
    assert.deepEqual(said, {
      reference: { runs: 3, passes: 3 },
      noop: { runs: 3, passes: 0 },
      testsOnly: { runs: 1, passes: 0 },
      reasons: [],
    });
    assert.deepEqual({ ...whole, ran }, early);
    assert.deepEqual(
      [ran, whole.ran],
      [
        [2, 2, 2, 2, 1, 1],
        [2, 2, 2, 2, 2, 2],
      ],
    );
  });

  test('what passes on the files of the fix runs with all of them, which decide', async () => {
    const { noop, ran } = await proving(wanting([KEPT], [OTHER, 'test/other.test.js > never'], FILES), true);
    assert.deepEqual([noop, ran.slice(3)], [{ runs: 3, passes: 0 }, [2, 1, 1, 2, 2]]);
  });

  test('a no-op that passes is no task, however it was found', async () => {
    const { noop, reasons } = await proving(wanting([KEPT], [OTHER], FILES), true);
    assert.deepEqual(noop, { runs: 3, passes: 3 });
    assert.ok(reasons.includes('no-op passes 3 of 3'), reasons.join());
    assert.ok(reasons.includes('the test part alone passes'), reasons.join());
  });

  test('a no-op that passes once alone is no task, either: in the run that is whole', async () => {
    const wavers = wanting(['test/wavers.test.js > wavers'], [OTHER], ['test/other.test.js', 'test/wavers.test.js']);
    const { reference, noop, reasons } = await proving(wavers, true);
    assert.deepEqual([reference.passes, noop], [0, { runs: 3, passes: 1 }]);
    assert.ok(reasons.includes('no-op passes 1 of 3'));
  });
});
