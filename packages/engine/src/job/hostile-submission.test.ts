import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { JobResult } from '@assay/protocol';
import { bench, setUpBench, tearDownBench } from '../trial/model-agents.fixture.ts';
import { runJob } from './run-job.ts';

before(() => setUpBench());
after(tearDownBench);

const NEST = (levels: number): string =>
  `for (let level = 0; level < ${levels}; level += 1) { fs.mkdirSync("n".repeat(250)); process.chdir("n".repeat(250)); } fs.writeFileSync("deep.js", "x");`;

/** Each leaves something that cannot cross, or that nothing can be put beside. */
const HOSTILE: Record<string, string> = {
  'names nested beyond the longest path': NEST(40),
  'a path near the longest path': NEST(16),
  'a path that nearly fills what is left': NEST(12),
  'a sparse file of 5 GB': 'fs.writeFileSync("big", ""); fs.truncateSync("big", 5e9);',
  'names with line breaks and escapes':
    'fs.mkdirSync("a\\nb"); fs.writeFileSync("a\\nb/conftest.py", "x"); fs.writeFileSync("\\u001b[2J\\nREWARD 1", "");',
  'a file in the place of mounted packages':
    'try { fs.renameSync("src", "moved"); } catch {} for (const name of ["src", "node_modules"]) try { fs.writeFileSync(name, "x"); } catch {}',
};

async function job(path: string, name: string, script: string): Promise<JobResult> {
  return runJob({
    path,
    agent: 'exec',
    agentCommand: `node -e 'const fs = require("fs"); ${script}'`,
    attempts: 2,
    parallel: 2,
    out: join(bench.home, `hostile-${name}`),
  });
}

for (const [name, script] of Object.entries(HOSTILE)) {
  test(`${name}: a fail like any other, and on record`, async () => {
    for (const path of [bench.repositoryTask, bench.standardTask]) {
      const place = `${name.replaceAll(' ', '-')}-${path === bench.standardTask ? 'standard' : 'repository'}`;
      const { directory, trials } = await job(path, place, script);
      assert.deepEqual(
        trials.map(({ outcome, agentRun }) => [outcome, agentRun?.status, agentRun?.exitCode]),
        [
          ['fail', 'ended', 0],
          ['fail', 'ended', 0],
        ],
      );
      const [trial] = trials;
      const manifest = JSON.parse(
        await readFile(join(directory, 'trials', `${trial?.task}.1`, 'submission', 'manifest.json'), 'utf8'),
      );
      if (script === NEST(40) || script === NEST(16))
        assert.ok(manifest.dropped.some(({ reason }: { reason: string }) => reason === 'it is too long'));
    }
  });
}
