import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { findTrial, listTrials } from './find-trial.ts';
import { readSubmitted, readTrial } from './read-trial.ts';
import { recordLane } from './record-lane.fixture.ts';
import { writeTrialDirectory } from './trial-directory.fixture.ts';

const fails =
  (code: string, words: RegExp) =>
  (error: unknown): boolean =>
    AssayError.is(error) && error.code === code && error.kind === 'user' && words.test(error.message);

describe('a trial that is on record', () => {
  let place: string;
  let job: string;
  let directory: string;
  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'assay-trace-'));
    job = join(place, 'job');
    directory = await writeTrialDirectory(job, 'b.1', { log: 'hello', files: { 'src/a.py': 'x = 1\n' } });
  });
  after(() => rm(place, { recursive: true, force: true }));

  test('is found by its directory, by job and name, and as the only one of a job', async () => {
    for (const path of [directory, join(job, 'b.1'), job, `${job}/`])
      assert.equal(await findTrial(path), directory, path);
    assert.deepEqual(await listTrials(job), [directory]);
  });

  test('what is no trial is told, with those that there are', async () => {
    await writeTrialDirectory(join(place, 'two'), 'c.1');
    await writeTrialDirectory(join(place, 'two'), 'c.2');
    await writeTrialDirectory(join(place, 'dead'), 'd.1', { unfinished: true, entries: [] });
    await assert.rejects(findTrial(join(place, 'two')), fails('TRIAL_NOT_FOUND', /c\.1, c\.2/));
    await assert.rejects(findTrial(join(place, 'two', 'c.3')), fails('TRIAL_NOT_FOUND', /c\.1, c\.2/));
    await assert.rejects(findTrial(join(place, 'dead', 'd.1')), fails('TRIAL_NOT_FOUND', /did not finish/));
    await assert.rejects(findTrial(join(place, 'dead')), fails('TRIAL_NOT_FOUND', /no finished trial/));
    await assert.rejects(findTrial('/nowhere/at-all'), fails('TRIAL_NOT_FOUND', /no trial\.json/));
    await assert.rejects(listTrials(place), fails('JOB_NOT_FOUND', /no job\.json/));
  });

  test('without a model: log, submission, verdict', async () => {
    const { trial, verdict, submission, log, trajectory } = await readTrial(directory);
    assert.deepEqual([trial.id, verdict?.outcome, log, trajectory], ['b.1', 'pass', 'hello', null]);
    assert.deepEqual(
      submission?.files.map(({ path }) => path),
      ['src/a.py'],
    );
    assert.equal(await readSubmitted({ directory }, 'src/a.py'), 'x = 1\n');
  });

  test('with a model: its trajectory, named by the trial', async () => {
    const entries = await recordLane({ turns: [{ say: 'Done.' }] }, ({ drive }) =>
      drive('openai-chat', 'Work.', () => ''),
    );
    const { trajectory } = await readTrial(
      await writeTrialDirectory(join(place, 'asked'), 'e.1', {
        entries,
        trial: { agent: 'codex', agentVersion: '1.2.3' },
      }),
    );
    assert.deepEqual(
      [trajectory?.agent.name, trajectory?.agent.version, trajectory?.session_id, trajectory?.steps.at(-1)?.message],
      ['codex', '1.2.3', 'asked/e.1', 'Done.'],
    );
  });

  test('a hostile directory: links are not followed, paths do not lead out, and foreign files are told', async () => {
    await writeFile(join(place, 'secret'), 'secret');
    const hostile = await writeTrialDirectory(join(place, 'hostile'), 'h.1');
    await symlink(place, join(hostile, 'submission', 'files'));
    assert.equal(await readSubmitted({ directory: hostile }, 'secret'), null);
    await rm(join(hostile, 'logs', 'agent.txt'));
    await symlink(join(place, 'secret'), join(hostile, 'logs', 'agent.txt'));
    assert.equal((await readTrial(hostile)).log, '');
    assert.equal(await readSubmitted({ directory: hostile }, '../../../../../secret'), null);
    await writeFile(join(hostile, 'verdict.json'), '{"outcome": "great"}');
    await assert.rejects(readTrial(hostile), fails('TRIAL_NOT_FOUND', /verdict\.json is not what assay writes/));
  });
});
