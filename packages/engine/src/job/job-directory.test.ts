import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Job, Trial } from '@assay/protocol';
import { openJobDirectory } from './job-directory.ts';

let home = '';
before(async () => {
  home = await mkdtemp(join(tmpdir(), 'assay-job-directory-'));
});
after(() => rm(home, { recursive: true, force: true }));

const digest = (letter: string): string => `sha256:${letter.repeat(64)}`;
const asked = (tasks: Record<string, string>): Job => ({
  version: 1,
  id: 'job-1',
  createdAt: '2026-01-01T00:00:00.000Z',
  agent: 'nop',
  attempts: 1,
  timeoutSec: null,
  provider: 'bubblewrap',
  unseal: [],
  tasks: Object.entries(tasks).map(([id, letter]) => ({ id, digest: digest(letter) })),
});
/** Opens, as one process does, and leaves tasks quarantined. Tasks lie in directories that are called as they are. */
async function visit(
  name: string,
  tasks: Record<string, string>,
  { resume = true, quarantined = [] }: { resume?: boolean; quarantined?: string[] } = {},
): Promise<Job> {
  const directories = new Map(Object.keys(tasks).map((id) => [id, id]));
  const directory = await openJobDirectory(join(home, name), { job: asked(tasks), directories, resume });
  await directory.recordQuarantined(quarantined.map((id) => ({ directory: id, task: id in tasks ? id : undefined })));
  await directory.close();
  return directory.job;
}
async function recordTrial(name: string, task: string): Promise<void> {
  const trial: Trial = {
    version: 1,
    id: `${task}.1`,
    task,
    agent: 'nop',
    attempt: 1,
    outcome: 'fail',
    reward: 0,
    trust: { level: 'in-process', reasons: [] },
    isolation: 'namespace',
    durationMs: 1,
    startedAt: '2026-01-01T00:00:00.000Z',
    agentRun: { status: 'ended', exitCode: 0, timedOut: false, durationMs: 1 },
  };
  await mkdir(join(home, name, 'trials', trial.id), { recursive: true });
  await writeFile(join(home, name, 'trials', trial.id, 'trial.json'), JSON.stringify(trial));
}

describe('resuming a job', () => {
  test('takes a task that was quarantined as it is now', async () => {
    await visit('mended', { good: 'a', bad: 'b' }, { resume: false, quarantined: ['bad'] });
    const { tasks } = await visit('mended', { good: 'a', bad: 'c' });
    assert.deepEqual(tasks, [
      { id: 'good', digest: digest('a') },
      { id: 'bad', digest: digest('c') },
    ]);
  });

  test('takes a directory in which there was no task to be read', async () => {
    await visit('unread', { good: 'a' }, { resume: false, quarantined: ['bad'] });
    const { tasks } = await visit('unread', { good: 'a', bad: 'c' });
    assert.equal(tasks.length, 2);
  });

  test('takes the dataset without what was quarantined', async () => {
    await visit('gone', { good: 'a', bad: 'b' }, { resume: false, quarantined: ['bad'] });
    const { tasks } = await visit('gone', { good: 'a' });
    assert.equal(tasks.length, 1);
  });

  test('control: no other task may change, come or go', async () => {
    await visit('other', { good: 'a', bad: 'b' }, { resume: false, quarantined: ['bad'] });
    const others: Record<string, string>[] = [
      { good: 'c', bad: 'b' },
      { bad: 'b' },
      { good: 'a', bad: 'b', more: 'c' },
    ];
    for (const tasks of others) await assert.rejects(visit('other', tasks), { code: 'JOB_MISMATCH' });
  });

  test('control: a task that was tried once it was mended stays as it is', async () => {
    await visit('tried', { good: 'a', bad: 'b' }, { resume: false, quarantined: ['bad'] });
    await visit('tried', { good: 'a', bad: 'c' }, { quarantined: ['bad'] });
    await recordTrial('tried', 'bad');
    await assert.rejects(visit('tried', { good: 'a', bad: 'd' }), { code: 'JOB_MISMATCH' });
    await visit('tried', { good: 'a', bad: 'c' });
  });
});
