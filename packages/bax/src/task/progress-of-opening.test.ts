import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ProgressEvent } from '@assay/protocol';
import { runJob } from '@assay/engine/job/run-job';
import { makeScenarioTask } from './make-scenario-tasks.ts';
import { scenarioHost } from './scenario-host.ts';

test(
  'whoever runs a task is told that what its framework needs is made ready, and when the agent is at work',
  { timeout: 600_000 },
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'assay-opening-'));
    after(() => rm(directory, { recursive: true, force: true }));
    process.env['ASSAY_KEY'] = join(directory, 'key.pem');
    const row = { scenario: 'Calculator', framework: 'Python-Flask' };
    const {
      tasks: [made],
    } = await makeScenarioTask(row, {
      spec: 'openapi',
      safety: 'none',
      profile: 'strict',
      out: join(directory, 'task'),
      prove: false,
    });
    const events: ProgressEvent[] = [];
    const { trials } = await runJob({
      path: made?.directory ?? '',
      agent: 'nop',
      out: join(directory, 'job'),
      scenarios: scenarioHost(),
      onEvent: (event) => events.push(event),
    });
    assert.deepEqual(
      trials.map(({ outcome }) => outcome),
      ['fail'],
    );
    assert.deepEqual([...new Set(events.map(({ item }) => item))], ['calculator-python-flask#1']);
    const told = events.filter(({ type }) => type === 'item-progress').map(({ text }) => text);
    assert.deepEqual(
      [told[0], told[1], told.at(-1)],
      ['making its environment ready', 'making ready what Python-Flask needs', 'at work'],
    );
  },
);
