/** Tasks whose submissions are compared, from the candidate to the verdict, in Assay and as Harbor's verifier grades. */
import assert from 'node:assert/strict';
import { chmod, cp, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { ChangeSet } from '@assay/files/change-set';
import { unpackTar } from '@assay/files/tar';
import { openChatModel } from '@assay/lanes/models/chat-model';
import { gullibleModel, useFakeModelServer } from '@assay/testkit';
import { readTaskOf } from '../bundle/read-task.ts';
import { runGrader } from '../ecosystems/grader-namespaces.fixture.ts';
import { openReadDiffTask, type OpenDiffTask } from '../verify/diff/open-diff-task.ts';
import { verifyDiff } from '../verify/diff/verify-diff.ts';
import type { Candidate, CandidateResult, Compared } from './candidate.ts';
import { mineCandidate } from './mine-candidate.ts';
import { FIXED, MineFixture, NEW_TESTS } from './mine.fixture.ts';

const STRICT: Compared = { profile: 'strict', judged: false, always: true };
const REWRITTEN = FIXED.replace('Object.create(null)', '{ __proto__: null }');
const WRONG = FIXED.replace('(null)', '({})');

const changeTo = (files: Record<string, string>): ChangeSet => ({
  files: Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text), executable: false })),
  deleted: [],
});

describe('a task whose submissions are compared with the reference', () => {
  let fixture: MineFixture;
  let count = 0;
  before(async () => {
    fixture = await MineFixture.make();
  });
  after(() => fixture.dispose());

  async function mine(
    compared: Compared,
    change: (candidate: Candidate) => Partial<Candidate> = () => ({}),
    modelName?: string,
  ): Promise<{ result: CandidateResult; bundle: string }> {
    const bundle = join(fixture.directory, `out-${count++}`, 'task');
    const candidate = await fixture.candidate();
    const context = fixture.reading(async () => ({ ...candidate, compared, ...change(candidate) }));
    return { result: await mineCandidate('x', bundle, { ...context, modelName }), bundle };
  }

  async function open(compared: Compared = STRICT): Promise<OpenDiffTask> {
    const { result, bundle } = await mine(compared);
    assert.equal(result.outcome, 'admitted', JSON.stringify(result));
    return openReadDiffTask(await readTaskOf('diff', bundle), fixture.context);
  }

  test('a candidate that no test tells becomes one, and says why', async () => {
    const untested = await mine({ ...STRICT, always: false }, () => ({ hidden: { files: [], deleted: [] } }));
    assert.equal(untested.result.outcome, 'admitted', JSON.stringify(untested.result));
    const { meta, instruction } = await readTaskOf('diff', untested.bundle);
    assert.match(meta.untested, /^no_tests: /);
    assert.deepEqual(meta.proof?.reference, { runs: 3, passes: 3 });
    assert.deepEqual(meta.proof?.noop, { runs: 3, passes: 0 });
    assert.match(instruction, /Count words that are named like properties of every object/);
    assert.doesNotMatch(instruction, /Object\.create/);
  });

  test('one that tests can tell becomes a task with tests', async () => {
    const tested = await mine({ ...STRICT, always: false });
    assert.equal(tested.result.outcome, 'admitted', JSON.stringify(tested.result));
    await readTaskOf('repository', tested.bundle);
  });

  test('its metadata say what a model wrote of it', async () => {
    const { bundle, result } = await mine(STRICT, () => ({ byModel: ['reference'] }), 'm-1');
    assert.equal(result.outcome, 'admitted', JSON.stringify(result));
    assert.deepEqual((await readTaskOf('diff', bundle)).meta.by_model, { model: 'm-1', parts: ['reference'] });
  });

  test('a change of comments alone is a chore, and what says too little is no task', async () => {
    const onlyComments = `// More.\n${FIXED.replace('Object.create(null)', '{}')}`;
    const chore = await mine(STRICT, () => ({ reference: changeTo({ 'lib/tally.js': onlyComments }) }));
    assert.equal('reason' in chore.result && chore.result.reason, 'chore');
    const thin = await mine(STRICT, () => ({ message: 'Mend it' }));
    assert.equal('reason' in thin.result && thin.result.reason, 'thin_statement');
  });

  test('the reference wins, nothing and wrong changes lose, and no submission breaks the verifier', async () => {
    const task = await open();
    const verdictOf = async (submission: ChangeSet) =>
      (await verifyDiff(task, submission, { provider: fixture.context.provider })).verdict;
    const rewardOf = async (text: string): Promise<number | null> =>
      (await verdictOf(changeTo({ 'lib/tally.js': text }))).reward;
    const passed = await verdictOf(changeTo({ 'lib/tally.js': `// Why.\n${FIXED}`, 'test/more.test.js': '((' }));
    assert.deepEqual([passed.outcome, passed.reward, passed.trust.level], ['pass', 1, 'split']);
    assert.equal((await verdictOf(changeTo({}))).outcome, 'fail');
    assert.equal(await rewardOf(WRONG), 0);
    assert.equal(await rewardOf(REWRITTEN), 0);
    const spoilt = (await rewardOf(FIXED.replace('return counts', 'return {}'))) ?? 1;
    assert.ok(spoilt > 0 && spoilt < 0.5, String(spoilt));
    const bytes = { path: 'lib/tally.js', content: Buffer.alloc(9), executable: false };
    const hostile: Record<string, ChangeSet> = {
      'no code': changeTo({ 'lib/tally.js': `${FIXED}\n((` }),
      nesting: changeTo({ 'lib/tally.js': `${FIXED}${'['.repeat(200_000)}` }),
      'a file that is no text': { files: [bytes], deleted: [] },
      'many bytes': changeTo({ 'lib/tally.js': `${FIXED}${'a;'.repeat(400_000)}` }),
    };
    for (const [name, submission] of Object.entries(hostile)) {
      const { outcome, reward } = await verdictOf(submission);
      assert.deepEqual([outcome, reward], ['fail', 0], name);
    }
  });

  test('a judged task asks a model for what is neither the reference nor nothing, and knows nothing without one', async () => {
    const task = await open({ ...STRICT, judged: true });
    const gullible = gullibleModel();
    const server = await useFakeModelServer((request) => {
      const score = request.user.includes('__proto__: null') ? '95' : '10';
      const answer = gullible(request);
      return typeof answer === 'string' ? answer.replaceAll(/\b10\b/g, score) : answer;
    });
    const chat = openChatModel({ endpoint: server.endpoints.openai, model: 'm-1', apiKey: 'k', backOffMs: 1 });
    const model = { model: chat, modelName: 'm-1', endpoint: server.endpoints.openai };
    const verify = (text: string, judge?: typeof model) =>
      verifyDiff(task, changeTo({ 'lib/tally.js': text }), { provider: fixture.context.provider, model: judge });
    const right = await verify(REWRITTEN, model);
    assert.deepEqual(
      [right.verdict.outcome, right.verdict.reward, right.verdict.trust.level],
      ['pass', 0.95, 'judged'],
    );
    const wrong = await verify(WRONG, model);
    assert.deepEqual([wrong.verdict.outcome, wrong.verdict.reward], ['fail', 0.1]);
    const asked = server.requests.length;
    assert.equal((await verify(FIXED)).verdict.reward, 1);
    assert.equal((await verify(`${REWRITTEN}((`, model)).verdict.reward, 0);
    assert.equal(server.requests.length, asked);
    const unknown = await verify(REWRITTEN);
    assert.deepEqual([unknown.verdict.outcome, unknown.verdict.reward], ['invalid', null]);
    assert.match(unknown.missing ?? '', /a model has to judge/);
  });

  const skip = process.getuid?.() === 0 ? false : 'needs root';
  test("Harbor's verifier gives the same rewards, and follows no link", { skip }, async () => {
    const bundle = (await open()).task.directory;
    const repository = join(bundle, 'environment', 'repo.tar.gz');
    const grade = async (prepare: (workspace: string) => Promise<void>): Promise<number> => {
      const image = join(fixture.directory, `image-${count++}`);
      const inImage = (...names: string[]): string => join(image, ...names);
      for (const name of ['workspace', 'logs', 'outside', 'home', 'opt', 'tests'])
        await mkdir(inImage(name), { recursive: true });
      await cp(join(bundle, 'tests'), inImage('tests'), { recursive: true });
      await rename(inImage('tests', 'compare'), inImage('opt', 'compare'));
      for (const place of [inImage('tests', 't0'), inImage('workspace')]) {
        await mkdir(place, { recursive: true });
        await unpackTar(repository, place);
      }
      await prepare(inImage('workspace'));
      await chmod(inImage('tests'), 0o700);
      const run = await runGrader({
        image,
        mounts: ['--tmpfs', '/usr/local/bin', '--ro-bind', process.execPath, '/usr/local/bin/node'],
        places: { 'opt/compare': '/opt/compare' },
        program: 'node /tests/grader/grade.mjs',
      });
      const text = await readFile(inImage('logs', 'reward.json'), 'utf8').catch(() => assert.fail(String(run.stderr)));
      return (JSON.parse(text) as { reward: number }).reward;
    };
    const writing =
      (path: string, text: string) =>
      async (workspace: string): Promise<void> => {
        await mkdir(dirname(join(workspace, path)), { recursive: true });
        await writeFile(join(workspace, path), text);
      };
    assert.equal(await grade(async () => undefined), 0);
    assert.equal(await grade(writing('lib/tally.js', `${FIXED}// Why.\n`)), 1);
    assert.equal(await grade(writing('lib/tally.js', REWRITTEN)), 0);
    assert.equal(await grade(writing('lib/tally.js', `${FIXED}((`)), 0);
    assert.equal(await grade(writing('test/tally.test.js', NEW_TESTS)), 0);
    const linked = await grade(async (workspace) => {
      await rm(join(workspace, 'lib', 'tally.js'));
      await symlink('/tests/reference/files/lib/tally.js', join(workspace, 'lib', 'tally.js'));
    });
    assert.equal(linked, 0);
  });
});
