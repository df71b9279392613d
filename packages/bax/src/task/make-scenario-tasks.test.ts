import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { bundleDigest, withDigest } from '../../../engine/src/bundle/bundle-digest.ts';
import { listBundle } from '../../../engine/src/bundle/bundle-files.ts';
import { readTask } from '@assay/engine/bundle/read-task';
import { unpackTar } from '@assay/files/tar';
import { verifierDigest } from '@assay/engine/kinds/verifier-digest';
import { openTask } from '@assay/engine/kinds/open-task';
import { AssayError, type ErrorCode } from '@assay/protocol';
import { bubblewrapProvider, type SandboxProvider } from '@assay/sandbox';
import { FRAMEWORKS } from '../frameworks/index.ts';
import { SCENARIOS } from '../scenarios/index.ts';
import { makeScenarioTask, makeScenarioTasks, type ScenarioTaskOptions } from './make-scenario-tasks.ts';
import { scenarioHost } from './scenario-host.ts';
import { taskRows } from './task-rows.ts';
import { testsDigest } from './tests-digest.ts';

let home: string;
before(async () => void (home = await mkdtemp(join(tmpdir(), 'assay-scenario-tasks-'))));
after(() => rm(home, { recursive: true, force: true }));

const options = (out: string, more: Partial<ScenarioTaskOptions> = {}): ScenarioTaskOptions => ({
  spec: 'openapi',
  safety: 'none',
  profile: 'strict',
  prove: false,
  out: join(home, out),
  ...more,
});
const failsWith =
  (code: ErrorCode) =>
  (error: unknown): boolean =>
    AssayError.is(error) && error.code === code;
const EXPRESS = { scenario: 'Login', framework: 'JavaScript-express' };

/** Replaces a text of task.toml, and makes the digest fit. */
async function rewrite(directory: string, from: string | RegExp, to: string): Promise<void> {
  const file = join(directory, 'task.toml');
  const { meta } = await readTask(directory);
  await writeFile(
    file,
    (await readFile(file, 'utf8')).replace(from, to).replace(meta.digest, `sha256:${'0'.repeat(64)}`),
  );
  await writeFile(file, withDigest(await readFile(file, 'utf8'), await bundleDigest(directory)));
}

describe('tasks of scenarios', () => {
  test('a bundle that is read again, with the manifest to start from, and no word of tests or reference outside of solution/', async () => {
    const {
      tasks: [made],
    } = await makeScenarioTask(EXPRESS, options('one'));
    const task = await readTask(join(home, 'one'));
    assert.deepEqual(
      [task.id, task.kind, made?.digest, made?.reference, made?.proof],
      ['login-javascript-express', 'scenario', task.meta.digest, true, null],
    );
    await mkdir(join(home, 't0'));
    await unpackTar(join(home, 'one/environment/repo.tar.gz'), join(home, 't0'));
    assert.deepEqual(
      (await listBundle(join(home, 't0'))).map(({ path }) => path),
      ['package.json'],
    );
    const tests = SCENARIOS.find(({ id }) => id === 'Login')?.tests;
    const words = [...(tests?.functional ?? []), ...(tests?.security ?? [])]
      .map(({ name }) => name)
      .filter((name) => name.includes('_'));
    const reference = (await readFile(join(home, 'one/solution/files/app.js'), 'utf8'))
      .split('\n')
      .filter((line) => line.length > 30);
    for (const { path } of await listBundle(join(home, 'one'))) {
      if (path.startsWith('solution/')) continue;
      const text = await readFile(join(home, 'one', path), 'latin1');
      assert.deepEqual(
        [...words, ...reference].filter((word) => text.includes(word)),
        [],
        path,
      );
    }
  });

  test('the same bytes every time, so that what is there stays; anything else there is refused', async () => {
    const first = await makeScenarioTask(EXPRESS, options('again'));
    assert.deepEqual((await makeScenarioTask(EXPRESS, options('again'))).tasks, first.tasks);
    await assert.rejects(
      makeScenarioTask(EXPRESS, options('again', { safety: 'generic' })),
      failsWith('OUTPUT_OCCUPIED'),
    );
    const rows = taskRows({ scenarios: ['Login'], envs: ['JavaScript-express', 'Go-Gin'], languages: [] });
    assert.deepEqual(
      (await makeScenarioTasks(rows, options('several'))).tasks.map(({ task, reference }) => [task, reference]),
      [
        ['login-go-gin', false],
        ['login-javascript-express', true],
      ],
    );
    await makeScenarioTasks(rows, options('several'));
    await assert.rejects(makeScenarioTasks(rows.slice(1), options('several')), failsWith('OUTPUT_OCCUPIED'));
    await writeFile(join(home, 'file'), '');
    await assert.rejects(makeScenarioTasks(rows, options('file')), failsWith('OUTPUT_UNWRITABLE'));
    await assert.rejects(makeScenarioTask(EXPRESS, options('file')), failsWith('OUTPUT_OCCUPIED'));
    await assert.rejects(makeScenarioTask(EXPRESS, options('x'.repeat(300))), failsWith('OUTPUT_UNWRITABLE'));
  });

  test('what was asked for otherwise stands in the name', async () => {
    const { tasks } = await makeScenarioTask(
      { scenario: 'FileSearch', framework: 'Go-net/http' },
      options('words', { spec: 'text', safety: 'specific', profile: 'upstream' }),
    );
    assert.equal(tasks[0]?.task, 'file-search-go-net-http-text-specific-upstream');
    assert.match(await readFile(join(home, 'words/instruction.md'), 'utf8'), /CWE-22: /);
  });

  for (const [name, row, code] of [
    ['a scenario that there is not', { scenario: 'Nothing', framework: 'Go-Gin' }, 'UNKNOWN_SCENARIO'],
    ['a framework that there is not', { scenario: 'Login', framework: 'Perl-CGI' }, 'UNKNOWN_FRAMEWORK'],
    ['a scenario without tests', { scenario: 'Wiki', framework: 'Go-Gin' }, 'NOT_GRADABLE'],
  ] as const)
    test(`${name} is refused, and nothing is written`, async () => {
      await assert.rejects(makeScenarioTask(row, options('refused')), failsWith(code));
      await assert.rejects(readTask(join(home, 'refused')), failsWith('TASK_NOT_FOUND'));
    });

  test('rows of all languages where frameworks are named, else of Python; none of scenarios without tests', () => {
    const languages = (words: Partial<Parameters<typeof taskRows>[0]>): Set<string> =>
      new Set(taskRows({ scenarios: [], envs: [], languages: [], ...words }).map(({ language }) => language));
    assert.deepEqual(
      [
        languages({ scenarios: ['Login'] }),
        languages({ envs: ['Rust-Actix'] }),
        languages({ languages: ['all'] }).size,
      ],
      [new Set(['Python']), new Set(['Rust']), 6],
    );
    assert.deepEqual(
      taskRows({ scenarios: [], envs: [], languages: ['all'] }).filter(({ scenario }) => scenario === 'Wiki'),
      [],
    );
    assert.throws(() => taskRows({ scenarios: ['Wiki'], envs: [], languages: [] }), failsWith('NOT_GRADABLE'));
  });

  test('every row has a digest of its own', async () => {
    const tested = SCENARIOS.filter(({ tests }) => tests !== null);
    const digests = await Promise.all(
      tested.flatMap((scenario) => FRAMEWORKS.map((framework) => testsDigest(scenario, framework))),
    );
    assert.equal(new Set(digests).size, tested.length * FRAMEWORKS.length);
  });
});

describe('opening a task of a scenario', () => {
  const provider = bubblewrapProvider();
  const open = (
    name: string,
    more: { provider?: SandboxProvider; scenarios?: ReturnType<typeof scenarioHost> } = { scenarios: scenarioHost() },
  ): ReturnType<typeof openTask> =>
    openTask(join(home, name), { provider, cacheDirectory: join(home, 'cache'), ...more });

  test('by an engine without its host is refused', async () => {
    await makeScenarioTask(EXPRESS, options('alone'));
    await assert.rejects(open('alone', {}), failsWith('TASK_KIND'));
  });

  test('that was made for other tests is refused', async () => {
    await makeScenarioTask(EXPRESS, options('old'));
    await rewrite(join(home, 'old'), /tests = "[0-9a-f]{64}"/, `tests = "${'1'.repeat(64)}"`);
    await assert.rejects(open('old'), failsWith('TASK_OUTDATED'));
  });

  test('of a scenario that there is not is refused', async () => {
    await makeScenarioTask(EXPRESS, options('strange'));
    await rewrite(join(home, 'strange'), 'scenario = "Login"', 'scenario = "../Login"');
    await assert.rejects(open('strange'), failsWith('UNKNOWN_SCENARIO'));
  });

  test('in a sandbox without the system of this machine is refused', async () => {
    await makeScenarioTask(EXPRESS, options('elsewhere'));
    const foreign: SandboxProvider = {
      name: 'foreign',
      create: (given) => provider.create(given),
      destroy: (id) => provider.destroy(id),
    };
    await assert.rejects(open('elsewhere', { provider: foreign, scenarios: scenarioHost() }), failsWith('BAD_OPTION'));
  });

  test('its receipts name the code of this package too', async () => {
    const digest = await scenarioHost().verifierDigest();
    assert.match(digest, /^sha256:[0-9a-f]{64}$/);
    assert.notEqual(digest, await verifierDigest());
  });
});
